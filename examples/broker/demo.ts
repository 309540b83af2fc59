/**
 * `npm run demo`: the broker on free ports, a kafkajs producer and two consumers of one group for
 * some seconds, and a member of another group that falls silent; then what was parked meanwhile.
 * `--seconds N` says how long (default 5).
 *
 * `npm run demo -- --watch`: a load that goes on until Ctrl-C (or for `--seconds`), to be seen in
 * the inspector at `--http`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel, type Producer } from 'kafkajs';
import { Broker } from './broker.ts';
import { connectProducer, consume, createTopics, joinAndFallSilent, send } from './demo/clients.ts';
import { keepLoad } from './demo/load.ts';
import { parseDemoOptions } from './demo/options.ts';
import { pause } from './demo/pause.ts';
import { parsedOrEnd } from './options.ts';
import { stopOnSignal } from './stop-on-signal.ts';

const TOPIC = 'greetings';
const PAUSE_MS = 50;
const SESSION_TIMEOUT_MS = 1000;

async function main(): Promise<void> {
  const { watch, durationMs, http: httpPort } = parsedOrEnd(parseDemoOptions);
  const stop = new AbortController();
  stopOnSignal(() => stop.abort());
  const data = mkdtempSync(join(tmpdir(), 'purgatory-demo-'));
  const broker = new Broker({ port: 0, http: httpPort, data });
  try {
    const { port, http } = await broker.start();
    console.log(`broker on 127.0.0.1:${port}, status on http://127.0.0.1:${http}/status`);
    const kafka = new Kafka({ clientId: 'demo', brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
    if (watch) await runWatched(broker, kafka, { port, http, durationMs }, stop);
    else await runShort(broker, kafka, { port, durationMs }, stop.signal);
  } finally {
    await broker.stop();
    rmSync(data, { recursive: true });
  }
}

/** Until `stop` aborts, by a signal or by the time that is over. */
async function runWatched(
  broker: Broker,
  kafka: Kafka,
  { port, http, durationMs }: { port: number; http: number; durationMs: number },
  stop: AbortController,
): Promise<void> {
  console.log(`watch  http://127.0.0.1:${http}/\nstop   Ctrl-C`);
  if (Number.isFinite(durationMs)) void pause(durationMs, stop.signal).then(() => stop.abort());
  await keepLoad(kafka, port, stop.signal);
  reportParked(broker);
}

async function runShort(
  broker: Broker,
  kafka: Kafka,
  { port, durationMs }: { port: number; durationMs: number },
  signal: AbortSignal,
): Promise<void> {
  await createTopics(kafka, { [TOPIC]: 3 });
  const latencies: number[] = [];
  const join = () =>
    consume(
      kafka,
      { group: 'demo', topic: TOPIC },
      (timestamp) => latencies.push(Date.now() - Number(timestamp)),
      (partitions) => console.log(`a consumer has the partitions ${partitions.join(', ') || 'of nobody'}`),
    );
  const consumers = [await join(), await join()];
  const producer = await connectProducer(kafka);
  await joinAndFallSilent(port, SESSION_TIMEOUT_MS);
  const sent = await produceFor(durationMs, producer, signal);
  const isDone = () => latencies.length >= sent && broker.status().purgatories.heartbeat.expired > 0;
  while (!isDone() && !signal.aborted) await pause(PAUSE_MS, signal);
  reportMessages(sent, latencies);
  reportParked(broker);
  await Promise.all([producer.disconnect(), ...consumers.map((consumer) => consumer.disconnect())]);
}

/** Sends in bursts with pauses in between that are longer than a fetch waits; returns how many. */
async function produceFor(durationMs: number, producer: Producer, signal: AbortSignal): Promise<number> {
  const end = performance.now() + durationMs;
  const goesOn = () => performance.now() < end && !signal.aborted;
  let sent = 0;
  while (goesOn()) {
    for (let i = 0; i < 10 && goesOn(); i++) {
      await send(producer, TOPIC, `${i}`, `hello ${sent++}`);
      await pause(PAUSE_MS, signal);
    }
    await pause(Math.min(700, Math.max(0, end - performance.now())), signal);
  }
  return sent;
}

function reportMessages(sent: number, latencies: number[]): void {
  const median = latencies.sort((a, b) => a - b)[Math.floor(latencies.length / 2)];
  console.log(`\nmessages   ${sent} sent, ${latencies.length} received, half of them within ${median} ms`);
}

function reportParked(broker: Broker): void {
  const { fetch, produce, join, heartbeat } = broker.status().purgatories;
  console.log(`fetches    ${fetch.parked} parked: ${fetch.completedEarly} completed early by a message, ${fetch.expired} expired, ${fetch.numDelayed} wait
produces   ${produce.parked} waited for acks, ${produce.meanWaitMs.toFixed(2)} ms on average, ${produce.expired} expired
joins      ${join.parked} waited for the rest of the group, ${join.meanWaitMs.toFixed(0)} ms on average
sessions   ${heartbeat.parked} parked, each moved by a sign of life: ${heartbeat.expired} expired, ${heartbeat.numDelayed} go on`);
}

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
