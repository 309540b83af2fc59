/**
 * `npm run demo`: the broker on free ports, a kafkajs producer and two consumers of one group for some seconds, and a member of
 * another group that falls silent; then what was parked meanwhile. `--seconds N` says how long (default 5).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Consumer, Kafka, logLevel, Partitioners, type Producer } from 'kafkajs';
import { SystemTimer } from 'purgatory';
import { Broker } from './broker.ts';
import { PeerClient } from './replication/peer-client.ts';

const TOPIC = 'greetings';
const PAUSE_MS = 50;
const SESSION_TIMEOUT_MS = 1000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });
  const seconds = Number(values.seconds);
  if (!(seconds > 0))
    throw new RangeError(`--seconds is ${JSON.stringify(values.seconds)}, where a number above 0 is needed`);
  const data = mkdtempSync(join(tmpdir(), 'purgatory-demo-'));
  const broker = new Broker({ port: 0, http: 0, data });
  const { port, http } = await broker.start();
  console.log(`broker on 127.0.0.1:${port}, status on http://127.0.0.1:${http}/status`);

  const kafka = new Kafka({ clientId: 'demo', brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
  await createTopic(kafka);
  const latencies: number[] = [];
  const note = (timestamp: string) => latencies.push(Date.now() - Number(timestamp));
  const consumers = [await consume(kafka, note), await consume(kafka, note)];
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await joinAndFallSilent(port);
  const sent = await produceFor(seconds * 1000, producer);
  while (latencies.length < sent || broker.status().purgatories.heartbeat.expired === 0)
    await pause(PAUSE_MS);
  report(broker, sent, latencies);

  await Promise.all([producer.disconnect(), ...consumers.map((consumer) => consumer.disconnect())]);
  await broker.stop();
  rmSync(data, { recursive: true });
}

async function createTopic(kafka: Kafka): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: 3 }] });
  await admin.disconnect();
}

/** A consumer that has its partitions: it resolves after the join. */
async function consume(kafka: Kafka, note: (timestamp: string) => void): Promise<Consumer> {
  // A short heartbeat makes the first consumer notice soon that a second one wants to join.
  const consumer = kafka.consumer({ groupId: 'demo', heartbeatInterval: 200, maxWaitTimeInMs: 500 });
  await consumer.connect();
  await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
  const joined = new Promise<void>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      console.log(
        `a consumer has the partitions ${payload.memberAssignment[TOPIC]?.join(', ') ?? 'of nobody'}`,
      );
      resolve();
    });
  });
  await consumer.run({ eachMessage: async ({ message }) => note(message.timestamp) });
  await joined;
  return consumer;
}

/** Joins a group of its own and is not heard of any more, as a process that was killed. */
async function joinAndFallSilent(port: number): Promise<void> {
  const timer = new SystemTimer();
  const client = new PeerClient(port, 'silent', timer);
  const request = {
    groupId: 'silent',
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    rebalanceTimeoutMs: SESSION_TIMEOUT_MS,
    memberId: '',
    groupInstanceId: null,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
  };
  await client.send('JoinGroup', 2, request, SESSION_TIMEOUT_MS);
  client.close();
  timer.close();
}

/** Sends with acks=all, in bursts with pauses in between that are longer than a fetch waits; returns how many. */
async function produceFor(durationMs: number, producer: Producer): Promise<number> {
  const end = performance.now() + durationMs;
  let sent = 0;
  while (performance.now() < end) {
    for (let i = 0; i < 10 && performance.now() < end; i++) {
      await producer.send({ topic: TOPIC, acks: -1, messages: [{ key: `${i}`, value: `hello ${sent++}` }] });
      await pause(PAUSE_MS);
    }
    await pause(Math.min(700, Math.max(0, end - performance.now())));
  }
  return sent;
}

function report(broker: Broker, sent: number, latencies: number[]): void {
  const { fetch, produce, join, heartbeat } = broker.status().purgatories;
  const median = latencies.sort((a, b) => a - b)[Math.floor(latencies.length / 2)];
  console.log(`
messages   ${sent} sent, ${latencies.length} received, half of them within ${median} ms
fetches    ${fetch.parked} parked: ${fetch.completedEarly} completed early by a message, ${fetch.expired} expired, ${fetch.numDelayed} wait
produces   ${produce.parked} waited for acks, ${produce.meanWaitMs.toFixed(2)} ms on average, ${produce.expired} expired
joins      ${join.parked} waited for the rest of the group, ${join.meanWaitMs.toFixed(0)} ms on average
sessions   ${heartbeat.parked} parked, each moved by a sign of life: ${heartbeat.expired} expired, ${heartbeat.numDelayed} go on`);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
