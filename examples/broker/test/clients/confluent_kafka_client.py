"""confluent-kafka (librdkafka) with its defaults: produces, consumes in a group, lists and changes. Prints what it saw as JSON."""
import json
import sys

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

common = {"bootstrap.servers": sys.argv[1]}
seen = {}

failed = []
producer = Producer(common)
for index in range(100):
    producer.produce("rd", b"%d" % index, on_delivery=lambda error, _: error and failed.append(str(error)))
seen["undelivered"] = producer.flush(10)
seen["failed"] = failed

consumer = Consumer({**common, "group.id": "rd-group", "auto.offset.reset": "earliest"})
consumer.subscribe(["rd"])
values = []
while len(values) < 100:
    message = consumer.poll(10)
    if message is None or message.error():
        raise SystemExit(f"after {len(values)} messages: {message and message.error()}")
    values.append(int(message.value()))
seen["values"] = sorted(values)
consumer.commit(asynchronous=False)
seen["committed"] = sum(each.offset for each in consumer.committed(consumer.assignment()) if each.offset > 0)
metadata = consumer.list_topics(timeout=10)
seen["topics"] = sorted(metadata.topics)
admin = AdminClient(common)
seen["groups"] = [[each.id, each.state, len(each.members)] for each in admin.list_groups(timeout=10)]
consumer.close()


def result(futures):
    (future,) = futures.values()
    return future.result(10)


config = {"retention.ms": "60000", "segment.bytes": "52428800", "cleanup.policy": "delete", "preallocate": "false"}
result(admin.create_topics([NewTopic("made", 2, 1, config=config)]))
result(admin.create_partitions([NewPartitions("made", 4)]))
seen["partitions"] = len(admin.list_topics("made", timeout=10).topics["made"].partitions)
settings = result(admin.describe_configs([ConfigResource("topic", "made")]))
seen["retention_ms"] = settings["retention.ms"].value
seen["overrides"] = sorted(name for name, each in settings.items() if not each.is_default)
settings = result(admin.describe_configs([ConfigResource("broker", "0")]))
seen["broker_id"] = settings["broker.id"].value
result(admin.alter_configs([ConfigResource("topic", "made", set_config={"retention.ms": "5"})]))
settings = result(admin.describe_configs([ConfigResource("topic", "made")]))
seen["altered"] = settings["retention.ms"].value
try:
    result(admin.create_topics([NewTopic("bad", 1, 1, config={"max.speed": "1"})]))
except Exception as error:
    seen["refused"] = error.args[0].str()
result(admin.delete_topics(["made"]))
print(json.dumps(seen))
