"""confluent-kafka (librdkafka) with its default commits: a member of a group reads on while its broker is stopped and started
again. Says `reading` once it has read something. Reads until it has every number from 0 to below the count, and prints as JSON
how many records came, how many of them for the first time, by their offsets, and how often it was given partitions."""
import json
import sys

from confluent_kafka import Consumer

address, topic, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
consumer = Consumer(
    {
        "bootstrap.servers": address,
        "group.id": "restart",
        "auto.offset.reset": "earliest",
        # So that it finds out soon whether it is still a member.
        "heartbeat.interval.ms": 200,
    }
)
records, assigned, offsets, values = 0, 0, set(), set()


def on_assign(*_):
    global assigned
    assigned += 1


consumer.subscribe([topic], on_assign=on_assign)
while len(values) < count:
    message = consumer.poll(1)
    if message is None or message.error():
        continue
    if records == 0:
        print("reading", flush=True)
    records += 1
    offsets.add((message.partition(), message.offset()))
    values.add(int(message.value()))
print(json.dumps({"records": records, "offsets": len(offsets), "assigned": assigned}), flush=True)
consumer.close()
