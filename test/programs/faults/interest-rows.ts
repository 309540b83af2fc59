// The rows that only interest routing has: what it saves, and that no hint is lost while a process
// subscribes.
import { setTimeout as sleep } from 'node:timers/promises';
import { Receiver } from '../../../src/bus/receiver.ts';
import { channels } from './channels-row.ts';
import type { EngineName } from './fleet.ts';
import { Hall, isFullSize, msUntil, withEngine } from './hall.ts';
import { LoopProbe } from './loop-probe.ts';
import { percentile, type Row } from './row.ts';
import { unconcerned } from './unconcerned-row.ts';

const ENGINES: readonly EngineName[] = ['redis', 'nats'];

/** Waits on fresh keys, each changed 0 to 3 ms after it was parked. */
async function race(
  engine: EngineName,
  port: number,
  waits: number,
): Promise<{ lost: number; lastMs: number }> {
  const PARKED_A_TURN = 10;
  const MAX_DELAY_MS = 3;
  const PATIENCE_MS = 2_000;
  const hall = await Hall.open(engine, port, 9, { routing: 'interest', prefix: `race${Math.random()}` });
  const [here, ...writers] = hall.purgatories;
  const changed = new Set<string>();
  const sweeps = hall.sweeps();
  let lost = 0;
  let lastMs = 0;
  const change = async (key: string, afterMs: number, writer: number): Promise<number> => {
    if (afterMs > 0) await sleep(afterMs);
    changed.add(key);
    writers[writer].notify(key);
    void hall.buses[writer + 1].flush(); // flushMs would give the subscription a start
    return performance.now();
  };
  const one = async (key: string, n: number): Promise<void> => {
    const attempt = (): true | undefined => (changed.has(key) ? true : undefined);
    const wait = here.waitFor([key], attempt, { timeoutMs: PATIENCE_MS });
    const changedMs = await change(key, Math.floor(Math.random() * (MAX_DELAY_MS + 1)), n % writers.length);
    if ((await wait).expired) lost++;
    else lastMs = Math.max(lastMs, performance.now() - changedMs);
  };
  const all: Promise<void>[] = [];
  for (let n = 0; n < waits; ) {
    for (const end = n + PARKED_A_TURN; n < end; n++) all.push(one(`fresh ${n}`, n));
    await sleep(2);
  }
  await Promise.all(all);
  if (hall.sweeps() !== sweeps) throw new Error('A break helped: nothing is shown');
  await hall.end();
  return { lost, lastMs };
}

/** The control: an acknowledgement tries nothing. */
async function withoutTry<T>(run: () => Promise<T>): Promise<T> {
  const { tryKeys } = Receiver.prototype;
  Receiver.prototype.tryKeys = () => {};
  try {
    return await run();
  } finally {
    Receiver.prototype.tryKeys = tryKeys;
  }
}

const races: Row = {
  name: 'a change races the subscription',
  engines: ENGINES,
  run: (engine, { parked }) =>
    withEngine(engine, async ({ port }) => {
      const waits = isFullSize(parked) ? 10_000 : 1_000;
      const { lost, lastMs } = await race(engine, port, waits);
      const control = await withoutTry(() => race(engine, port, waits));
      const what = `${waits.toLocaleString('en')} waits on fresh keys`;
      return [
        { what: `${what}, changed 0-3 ms after the park: lost`, measured: lost, unit: '', bar: 0 },
        { what: '... longest from the change to the answer', measured: lastMs, unit: 'ms', bar: 100 },
        {
          what: 'the same without the try at the acknowledgement: lost',
          measured: control.lost,
          unit: '',
          least: 1,
        },
      ];
    }),
};

/** From each park on a fresh key to the try at its acknowledgement, in ms, sorted. */
async function safeAfter(hall: Hall, keys: string, rate: number, seconds: number): Promise<number[]> {
  const [purgatory] = hall.purgatories;
  const tookMs: number[] = [];
  const park = (key: string): void => {
    let isParked = false;
    const parkedMs = performance.now();
    const attempt = (): true | undefined => {
      if (!isParked) return undefined;
      tookMs.push(performance.now() - parkedMs);
      return true;
    };
    void purgatory.waitFor([key], attempt, { timeoutMs: 1_000 });
    isParked = true;
  };
  const beganMs = performance.now();
  for (let key = 0; performance.now() - beganMs < seconds * 1_000; ) {
    const due = ((performance.now() - beganMs) * rate) / 1_000;
    for (; key < due; key++) park(`${keys} ${key}`);
    await sleep(1);
  }
  await msUntil('all are answered or expired', () => purgatory.numDelayed === 0);
  return tookMs.sort((x, y) => x - y);
}

const parkToSafe: Row = {
  name: 'park to safe',
  engines: ENGINES,
  run: (engine, { seconds }) =>
    withEngine(engine, async ({ port }) => {
      const RATE = 20_000;
      // So the channels are left at once, and each wait has a fresh one.
      const hall = await Hall.open(engine, port, 1, { routing: 'interest', lingerMs: 0 });
      await safeAfter(hall, 'warm', RATE, 1); // until it is compiled
      const probe = new LoopProbe();
      probe.start();
      const tookMs = await safeAfter(hall, 'fresh', RATE, Math.min(seconds.load, 5));
      probe.stop();
      await hall.end();
      return [
        {
          what: `${RATE.toLocaleString('en')} waits/s on fresh keys, park to acknowledged, p50`,
          measured: percentile(tookMs, 0.5),
          unit: 'ms',
          bar: 1,
        },
        { what: '... p99', measured: percentile(tookMs, 0.99), unit: 'ms', bar: 10 },
        { what: '... waits that needed a subscription', measured: tookMs.length, unit: '' },
        { what: '... longest block of the loop', measured: probe.maxBlockMs, unit: 'ms', bar: 30 },
      ];
    }),
};

export const INTEREST_ROWS: readonly Row[] = [unconcerned, races, parkToSafe, channels];
