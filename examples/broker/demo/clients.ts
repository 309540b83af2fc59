/** The clients of the demo: kafkajs as people use it, and a member that dies. */
import { type Consumer, type Kafka, Partitioners, type Producer } from 'kafkajs';
import { SystemTimer } from 'purgatory';
import { PeerClient } from '../replication/peer-client.ts';

const PATIENCE_MS = 5000;
const ALL_IN_SYNC = -1;

export async function createTopics(
  kafka: Kafka,
  partitions: Readonly<Record<string, number>>,
): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  const topics = Object.entries(partitions).map(([topic, numPartitions]) => ({ topic, numPartitions }));
  await admin.createTopics({ topics });
  await admin.disconnect();
}

/** A producer that waits for its acks, connected. */
export async function connectProducer(kafka: Kafka): Promise<Producer> {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  return producer;
}

export async function send(producer: Producer, topic: string, key: string, value: string): Promise<void> {
  await producer.send({ topic, acks: ALL_IN_SYNC, messages: [{ key, value }] });
}

/**
 * A consumer that has its partitions: it resolves after the join. `onMessage` gets the time of each
 * message.
 */
export async function consume(
  kafka: Kafka,
  { group, topic }: { group: string; topic: string },
  onMessage: (timestamp: string) => void,
  onJoin: (partitions: readonly number[]) => void,
): Promise<Consumer> {
  // A short heartbeat makes the first consumer notice soon that a second one wants to join.
  const consumer = kafka.consumer({ groupId: group, heartbeatInterval: 200, maxWaitTimeInMs: 500 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const joined = new Promise<void>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      onJoin(payload.memberAssignment[topic] ?? []);
      resolve();
    });
  });
  await consumer.run({ eachMessage: async ({ message }) => onMessage(message.timestamp) });
  await joined;
  return consumer;
}

/** Joins a group of its own and is not heard of any more, as a process that was killed. */
export async function joinAndFallSilent(port: number, sessionTimeoutMs: number): Promise<void> {
  const timer = new SystemTimer();
  const client = new PeerClient(port, 'silent', timer);
  const request = {
    groupId: 'silent',
    sessionTimeoutMs,
    rebalanceTimeoutMs: sessionTimeoutMs,
    memberId: '',
    groupInstanceId: null,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
  };
  await client.send('JoinGroup', 2, request, PATIENCE_MS);
  client.close();
  timer.close();
}
