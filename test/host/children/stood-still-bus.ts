// A worker of node:cluster stands still while hints of another worker and its own echoes arrive:
// `stood-still-bus HINTS`. Prints how many waits have expired, and how many echoes were missed. The
// writer leaves a file when its hints are on their way; the worker stands still until then at least.
// Where the stop itself came late, all is played again.
import cluster from 'node:cluster';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pauses } from '../../../bench/harness/stand-still.ts';
import { clusterBus, relayBus } from '../../../src/bus/transports/cluster.ts';
import { Purgatory } from '../../../src/index.ts';

const TIMEOUT_MS = 1_000;
const keys = Array.from({ length: Number(process.argv[2]) }, (_, index) => `${index}`);

/** The writer notifies in the middle of the stop. From then on the conditions hold. */
interface Parked {
  readonly notifyAt: number;
}

function primary(): void {
  relayBus();
  const WRITTEN = join(tmpdir(), `stood-still-bus-${process.pid}`);
  const waits = cluster.fork({ ROLE: 'waits', WRITTEN });
  const writes = cluster.fork({ ROLE: 'writes', WRITTEN });
  waits.on('message', (message: Parked | string) => {
    if (typeof message === 'string') {
      console.log(message);
      rmSync(WRITTEN, { force: true });
      // Not disconnect(): a worker that is cut off from its primary says so.
      for (const worker of [waits, writes]) worker.process.kill('SIGKILL');
    } else if ('notifyAt' in message) {
      writes.send(message); // the others are of the relay
    }
  });
}

type LiveBus = ReturnType<typeof clusterBus>;

async function liveBus(): Promise<LiveBus> {
  const bus = clusterBus({ echoMs: 100, echoTimeoutMs: TIMEOUT_MS });
  while (bus.state !== 'live') await sleep(10);
  return bus;
}

async function writes(): Promise<void> {
  const bus = await liveBus();
  const jobs = new Purgatory<string>('jobs', { bus });
  process.on('message', async ({ notifyAt }: Partial<Parked>) => {
    if (notifyAt === undefined) return; // a message of the relay
    await sleep(notifyAt - Date.now());
    for (const key of keys) jobs.notify(key);
    await bus.flush(); // the relay has them
    writeFileSync(`${process.env.WRITTEN}`, '');
  });
}

async function waits(): Promise<void> {
  const bus = await liveBus();
  const jobs = new Purgatory<string>('jobs', { bus });
  while (bus.snapshot().peers === 0) await sleep(10);
  await sleep(1_000); // the sweep of a bus that has become live is over
  let result: string | undefined;
  while (result === undefined) result = await standStill(bus, jobs);
  process.send?.(result);
}

/** Undefined where a busy machine was so slow before the stop or after it that it says nothing. */
async function standStill(bus: LiveBus, jobs: Purgatory<string>): Promise<string | undefined> {
  rmSync(`${process.env.WRITTEN}`, { force: true });
  const echoesBefore = bus.snapshot().totals.gaps.echo;
  const startMs = Date.now();
  const notifyAt = startMs + TIMEOUT_MS / 2;
  const isDone = (): boolean => Date.now() > notifyAt;
  const results = keys.map((key) => jobs.waitFor([key], isDone, { timeoutMs: TIMEOUT_MS }));
  process.send?.({ notifyAt } satisfies Parked);
  await sleep(100);
  await new Promise((resolve) => setImmediate(resolve));
  const isInTime = Date.now() < notifyAt && bus.snapshot().totals.gaps.echo === echoesBefore;
  const pauses = new Pauses();
  pauses.begin();
  pauses.leaveOut(() => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    Atomics.wait(cell, 0, 0, 1.5 * TIMEOUT_MS);
    while (!existsSync(`${process.env.WRITTEN}`)) Atomics.wait(cell, 0, 0, 10);
  });
  const expired = (await Promise.all(results)).filter((result) => result.expired).length;
  const echoes = bus.snapshot().totals.gaps.echo - echoesBefore;
  pauses.end();
  return isInTime && pauses.longestMs < TIMEOUT_MS / 4 ? JSON.stringify({ expired, echoes }) : undefined;
}

if (cluster.isPrimary) primary();
else await (process.env.ROLE === 'waits' ? waits() : writes());
