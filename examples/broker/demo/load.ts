/**
 * A load that goes on, so that the inspector has something to show: everything that a broker parks
 * is parked, and leaves in every way.
 *
 * - Orders and payments come in waves; long polls wait for them, most are answered early. Hardly
 *   anything comes to the audit topic: those who wait there run into their deadline.
 * - A group of three consumers, of which one leaves and another comes every few seconds: the others
 *   have to join again.
 * - Members that die: their sessions expire.
 *
 * Deadlines lie between half a second and half a minute, so a wheel of 512 ms and the next one are
 * in use, and what waits long cascades.
 */
import { setMaxListeners } from 'node:events';
import type { Consumer, Kafka } from 'kafkajs';
import { SystemTimer } from 'purgatory';
import { connectProducer, consume, createTopics, joinAndFallSilent, send } from './clients.ts';
import { pause } from './pause.ts';
import { readTail } from './tail-reader.ts';

interface Topic {
  readonly partitions: number;
  readonly readers: number;
  /** Between two messages, on average (ms). */
  readonly everyMs: number;
}

const TOPICS: Readonly<Record<string, Topic>> = {
  orders: { partitions: 6, readers: 100, everyMs: 60 },
  payments: { partitions: 3, readers: 40, everyMs: 200 },
  audit: { partitions: 3, readers: 20, everyMs: 8000 },
};
const WAVE_MS = 20_000;
const GROUP = { group: 'billing', topic: 'orders' };
const MEMBERS = 3;
const MEMBER_STAYS_MS = 6000;
const MIN_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
const MIN_SESSION_MS = 1000;
const MAX_SESSION_MS = 4000;

/**
 * Resolves when `signal` has aborted and every client is gone. Rejects when one of them fails
 * before; the others are gone then too.
 */
export async function keepLoad(kafka: Kafka, port: number, signal: AbortSignal): Promise<void> {
  await createTopics(
    kafka,
    Object.fromEntries(Object.entries(TOPICS).map(([name, { partitions }]) => [name, partitions])),
  );
  const failure = new AbortController();
  const until = AbortSignal.any([signal, failure.signal]);
  setMaxListeners(0, until); // Every client listens.
  const timer = new SystemTimer();
  const clients = [
    ...readers(port, timer, until),
    ...producers(kafka, until),
    group(kafka, until),
    dying(port, until),
  ];
  for (const client of clients) client.catch(() => failure.abort());
  const ends = await Promise.allSettled(clients);
  timer.close();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function readers(port: number, timer: SystemTimer, until: AbortSignal): Promise<void>[] {
  return Object.entries(TOPICS).flatMap(([topic, { partitions, readers }]) =>
    Array.from({ length: readers }, () => {
      // As many short waits as long ones, on a logarithmic scale.
      const maxWaitMs = Math.round(MIN_WAIT_MS * (MAX_WAIT_MS / MIN_WAIT_MS) ** Math.random());
      // Some partitions have more readers than others.
      const partition = Math.floor(partitions * Math.random() ** 1.5);
      return readTail(port, { topic, partition, maxWaitMs }, timer, until);
    }),
  );
}

function producers(kafka: Kafka, until: AbortSignal): Promise<void>[] {
  return Object.entries(TOPICS).map(async ([topic, { everyMs }]) => {
    const producer = await connectProducer(kafka);
    for (let n = 0; !until.aborted; n++) {
      await send(producer, topic, `${n}`, `${topic} ${n}`);
      const wave = 1 + 0.8 * Math.sin((2 * Math.PI * performance.now()) / WAVE_MS);
      await pause((2 * Math.random() * everyMs) / wave, until);
    }
    await producer.disconnect();
  });
}

async function group(kafka: Kafka, until: AbortSignal): Promise<void> {
  const ignore = (): void => {};
  const members: Consumer[] = [];
  while (!until.aborted) {
    members.push(await consume(kafka, GROUP, ignore, ignore));
    if (members.length < MEMBERS) continue;
    await pause(MEMBER_STAYS_MS, until);
    await members.shift()?.disconnect();
  }
  await Promise.all(members.map((member) => member.disconnect()));
}

async function dying(port: number, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const sessionTimeoutMs = MIN_SESSION_MS + Math.round((MAX_SESSION_MS - MIN_SESSION_MS) * Math.random());
    await joinAndFallSilent(port, sessionTimeoutMs);
    await pause(sessionTimeoutMs, until);
  }
}
