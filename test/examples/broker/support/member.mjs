// A kafkajs consumer in a process of its own: prints the partitions that it gets, as JSON, a line for each time. Arguments: address, topic, group, session timeout (ms).
import { Kafka, logLevel } from 'kafkajs';

const [address, topic, groupId, sessionTimeout] = process.argv.slice(2);
const kafka = new Kafka({ clientId: 'member', brokers: [address], logLevel: logLevel.NOTHING });
// kafkajs sends heartbeats between its fetches, so these must be shorter than the session.
const consumer = kafka.consumer({
  groupId,
  sessionTimeout: Number(sessionTimeout),
  heartbeatInterval: 100,
  maxWaitTimeInMs: 200,
});
await consumer.connect();
await consumer.subscribe({ topic });
consumer.on(consumer.events.GROUP_JOIN, ({ payload }) =>
  console.log(JSON.stringify(payload.memberAssignment[topic] ?? [])),
);
await consumer.run({ eachMessage: async () => {} });
