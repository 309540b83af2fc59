"""kafka-python with its defaults: produces, consumes in a group, lists and changes. Prints what it saw as one line of JSON."""
import json
import sys

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewPartitions, NewTopic

address = sys.argv[1]
seen = {}

producers = [KafkaProducer(bootstrap_servers=address) for _ in range(15)]
seen["api_versions"] = sorted({".".join(map(str, each.config["api_version"])) for each in producers})
for index, producer in enumerate(producers):
    producer.send("py", b"%d" % index).get(10)
    producer.close()

consumer = KafkaConsumer(
    "py", bootstrap_servers=address, group_id="py-group", auto_offset_reset="earliest"
)
values = []
while len(values) < len(producers):
    for records in consumer.poll(1000).values():
        values += [int(record.value) for record in records]
consumer.commit()
seen["values"] = sorted(values)
seen["end_offsets"] = sum(consumer.end_offsets(consumer.assignment()).values())
seen["topics"] = sorted(consumer.topics())

producer = KafkaProducer(bootstrap_servers=address, compression_type="gzip", linger_ms=1000)
for index in range(10):
    producer.send("zipped", b"%d" % index, partition=0, timestamp_ms=1000 + index)
producer.close()
zipped = TopicPartition("zipped", 0)
(found,) = consumer.offsets_for_times({zipped: 1007}).values()
seen["found_by_time"] = [found.offset, found.timestamp, consumer.end_offsets([zipped])[zipped]]

admin = KafkaAdminClient(bootstrap_servers=address)
seen["groups"] = admin.list_consumer_groups()
seen["members"] = len(admin.describe_consumer_groups(["py-group"])[0].members)
consumer.close()
seen["committed"] = sum(each.offset for each in admin.list_consumer_group_offsets("py-group").values())
admin.create_topics([NewTopic("made", 2, 1, topic_configs={"retention.ms": "60000"})])
admin.create_partitions({"made": NewPartitions(4)})
seen["partitions"] = len(admin.describe_topics(["made"])[0]["partitions"])
(answer,) = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, "made")])
seen["retention_ms"] = next(each[1] for each in answer.resources[0][4] if each[0] == "retention.ms")
altered = admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, "made", {"retention.ms": "5"})])
seen["altered"] = [each[0] for each in altered.resources]
seen["deleted"] = [str(error.__name__) for _, error in admin.delete_consumer_groups(["py-group"])]
admin.delete_topics(["made"])
seen["left"] = sorted(admin.list_topics())
admin.close()
print(json.dumps(seen))
