#!/usr/bin/python3
"""As much of Kafka's kafka-topics.sh as librdkafka's tests use, by confluent-kafka."""
import argparse
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

parser = argparse.ArgumentParser()
parser.add_argument('--bootstrap-server', required=True)
parser.add_argument('--topic', required=True)
action = parser.add_mutually_exclusive_group(required=True)
for name in ('--create', '--alter', '--delete'):
    action.add_argument(name, action='store_true')
parser.add_argument('--partitions', type=int, default=-1)
parser.add_argument('--replication-factor', type=int, default=-1)
parser.add_argument('--config', action='append', default=[])
args = parser.parse_args()

admin = AdminClient({'bootstrap.servers': args.bootstrap_server})
if args.create:
    config = dict(setting.split('=', 1) for setting in args.config)
    topic = NewTopic(args.topic, args.partitions, args.replication_factor, config=config)
    results = admin.create_topics([topic])
elif args.alter:
    results = admin.create_partitions([NewPartitions(args.topic, args.partitions)])
else:
    results = admin.delete_topics([args.topic])
for result in results.values():
    result.result()
