/**
 * A semaphore, beside those of npm, with a deadline for each wait and without. ns of CPU an acquire
 * with its release, of 100,000.
 *
 *   free        ten units, and one who asks again and again: nobody waits
 *   workers     a thousand workers on ten units: each releases, and asks again
 *   at once     all ask at once for ten units
 *   keys, free  a lock for each of 10,000 keys, asked for one after the other
 *   keys, busy  three workers on each of 10,000 locks
 *   bytes       live: of a wait, with its promise
 *   block       ms: one release frees the units of 100,000 waits: the longest block
 */
import { type Permit, Semaphore } from 'purgatory/semaphore';
import { BlockWatch, cpuNs, liveBytes, turn } from './harness/measure.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import { npmPeer } from './peers/npm-peer.ts';

const TIMES = 100_000;
const UNITS = 10;
const WORKERS = 1_000;
const KEYS = 10_000;
const TIMEOUT_MS = 30_000;
/** V8 compiles what a semaphore does once it has done it for long. */
const WARM_UPS = 3;

/** Calls `work` with a unit, which it holds until the promise of `work` has settled. */
type Runs = (work: () => Promise<void> | void) => Promise<unknown>;
type RunsByKey = (key: string, work: () => Promise<void> | void) => Promise<unknown>;

interface Maker {
  readonly of?: (units: number) => Runs;
  readonly byKey?: () => RunsByKey;
  /** Frees all units that `hold` has taken, in one call. */
  readonly herd?: (units: number) => { hold(): Promise<() => void>; wait(): Promise<unknown> };
}

const ours = (timeoutMs: number) => (): Maker => ({
  of(units) {
    const semaphore = new Semaphore('bench', { units });
    return async (work) => {
      const permit = await semaphore.acquire({ timeoutMs });
      await work();
      permit.release();
    };
  },
  byKey() {
    const semaphore = new Semaphore('bench', { units: 1 });
    return async (key, work) => {
      const permit = await semaphore.acquire({ key, timeoutMs });
      await work();
      permit.release();
    };
  },
  herd(units) {
    const semaphore = new Semaphore('bench', { units });
    return {
      async hold() {
        const permit: Permit = await semaphore.acquire({ units, timeoutMs });
        return () => void permit.release();
      },
      wait: () => semaphore.acquire({ timeoutMs }),
    };
  },
});

const asyncSema = async (): Promise<Maker> => {
  type Units = { acquire(): Promise<unknown>; release(): void };
  const { Sema } = await npmPeer<{ Sema: new (units: number) => Units }>('async-sema');
  return {
    of(units) {
      const semaphore = new Sema(units);
      return async (work) => {
        await semaphore.acquire();
        await work();
        semaphore.release();
      };
    },
    /** As a user writes it: a Sema for each key that is in use. */
    byKey() {
      const locks = new Map<string, { readonly sema: Units; users: number }>();
      return async (key, work) => {
        let lock = locks.get(key);
        if (lock === undefined) {
          lock = { sema: new Sema(1), users: 0 };
          locks.set(key, lock);
        }
        lock.users++;
        await lock.sema.acquire();
        await work();
        lock.sema.release();
        if (--lock.users === 0) locks.delete(key);
      };
    },
  };
};

type Release = () => void;

interface AsyncMutex {
  Mutex: new () => { acquire(): Promise<Release> };
  Semaphore: new (units: number) => { acquire(): Promise<[number, Release]> };
  withTimeout<Lock>(lock: Lock, timeoutMs: number): Lock;
}

const asyncMutex = (timeoutMs: number) => async (): Promise<Maker> => {
  const { Mutex, Semaphore, withTimeout } = await npmPeer<AsyncMutex>('async-mutex');
  return {
    of(units) {
      const plain = units === 1 ? new Mutex() : new Semaphore(units);
      const semaphore = timeoutMs === Number.POSITIVE_INFINITY ? plain : withTimeout(plain, timeoutMs);
      return async (work) => {
        const got = await semaphore.acquire();
        const release = Array.isArray(got) ? got[1] : got;
        await work();
        release();
      };
    },
  };
};

const asyncLock = async (): Promise<Maker> => {
  type Lock = { acquire: RunsByKey };
  const { default: AsyncLock } = await npmPeer<{ default: new (options: object) => Lock }>('async-lock');
  return {
    byKey() {
      const lock = new AsyncLock({ timeout: TIMEOUT_MS });
      return (key, work) => lock.acquire(key, async () => work());
    },
  };
};

const pLimit = async (): Promise<Maker> => {
  const { default: limitOf } = await npmPeer<{ default: (units: number) => Runs }>('p-limit');
  return { of: limitOf };
};

/** `asking` at once, `each` times each; ns of CPU a time. */
async function nsEach(
  asking: number,
  each: number,
  runs: (index: number) => Promise<unknown>,
): Promise<number> {
  let done = 0;
  const ask = async (index: number): Promise<void> => {
    for (let i = 0; i < each; i++) await runs(index);
    done++;
  };
  const startNs = cpuNs();
  for (let index = 0; index < asking; index++) void ask(index);
  while (done < asking) await turn();
  return (cpuNs() - startNs) / (asking * each);
}

const nothing = (): void => {};

function measuring(maker: () => Maker | Promise<Maker>): System {
  return async ({ size, quick }: Run): Promise<Measured> => {
    const { of, byKey, herd } = await maker();
    const times = quick ? size / 10 : size;
    const runs: Record<string, () => Promise<number>> = {};
    if (of !== undefined) {
      const inTurn = (units: number, asking: number) => () => {
        const run = of(units);
        return nsEach(asking, times / asking, () => run(nothing));
      };
      Object.assign(runs, {
        free: inTurn(UNITS, 1),
        workers: inTurn(UNITS, WORKERS),
        'at once': inTurn(UNITS, times),
      });
    }
    if (byKey !== undefined) {
      const keys = Array.from({ length: KEYS }, (_, index) => `order ${index}`);
      const inKeys = (asking: number) => () => {
        const run = byKey();
        let next = 0;
        return nsEach(asking, Math.ceil(times / asking), (index) =>
          run(keys[(asking === 1 ? next++ : index) % KEYS], asking === 1 ? nothing : turn),
        );
      };
      Object.assign(runs, { 'keys, free': inKeys(1), 'keys, busy': inKeys(3 * KEYS) });
    }
    const measured: Measured = {};
    for (const [metric, run] of Object.entries(runs)) {
      for (let i = 0; i < (quick ? 0 : WARM_UPS); i++) await run();
      measured[metric] = await run();
    }
    if (herd !== undefined) measured.block = await longestBlock(herd(times), times);
    // The last: once a collection was forced, V8 keeps its young generation small for long.
    if (of !== undefined) measured.bytes = await bytesOfAWait(of(1), times);
    return measured;
  };
}

async function bytesOfAWait(run: Runs, count: number): Promise<number> {
  void run(() => new Promise(() => {})); // holds the unit for ever
  await turn();
  const before = await liveBytes();
  const waits = Array.from({ length: count }, () => run(nothing));
  const bytes = (await liveBytes()) - before;
  return bytes / waits.length - 8;
}

async function longestBlock(
  { hold, wait }: ReturnType<NonNullable<Maker['herd']>>,
  count: number,
): Promise<number> {
  const release = await hold();
  let served = 0;
  for (let i = 0; i < count; i++) void wait().then(() => served++);
  await turn();
  const watch = new BlockWatch();
  release();
  while (served < count) await watch.turn();
  return watch.longestMs;
}

const ENDLESS = 'purgatory, no deadline';

const row = (
  title: string,
  metric: string,
  peer: string | undefined,
  more: Partial<Workload['rows'][number]> = {},
): Workload['rows'][number] => ({ title: `semaphore, ${title}`, size: TIMES, metric, peer, ...more });

export const semaphore: Workload = {
  name: 'semaphore',
  title: 'A semaphore, with a deadline for each wait and without',
  unit: 'ns',
  sizeLabel: 'times',
  sizes: { full: [TIMES], quick: [TIMES] },
  nodeFlags: ['--expose-gc'],
  rounds: 3,
  systems: {
    purgatory: measuring(ours(TIMEOUT_MS)),
    [ENDLESS]: measuring(ours(Number.POSITIVE_INFINITY)),
    'async-sema': measuring(asyncSema),
    'async-mutex': measuring(asyncMutex(Number.POSITIVE_INFINITY)),
    'async-mutex, deadline': measuring(asyncMutex(TIMEOUT_MS)),
    'async-lock': measuring(asyncLock),
    'p-limit': measuring(pLimit),
  },
  rows: [
    row('a unit is free', 'free', 'async-sema', { system: ENDLESS, aim: { ratio: 1.5 } }),
    row('a unit is free, with a deadline', 'free', 'async-mutex, deadline', { bar: { ratio: 1 } }),
    row('a thousand workers on ten units', 'workers', 'async-sema', { system: ENDLESS, aim: { ratio: 1.5 } }),
    row('the same, with a deadline', 'workers', 'async-mutex, deadline', { bar: { ratio: 1 } }),
    row('the same, beside p-limit', 'workers', 'p-limit', { system: ENDLESS }),
    row('100,000 at once', 'at once', 'async-sema', { system: ENDLESS, aim: { ratio: 1.2 } }),
    row('100,000 at once, with a deadline', 'at once', 'async-mutex, deadline', { bar: { ratio: 1 } }),
    row('10,000 keys, free', 'keys, free', 'async-lock', { system: ENDLESS, bar: { ratio: 1 } }),
    row('10,000 keys, three workers each', 'keys, busy', 'async-lock', { bar: { ratio: 1 } }),
    row('10,000 keys, three workers each, a Map of async-sema', 'keys, busy', 'async-sema', {
      system: ENDLESS,
      bar: { ratio: 1 },
    }),
    row('bytes a wait', 'bytes', 'async-mutex, deadline', { unit: 'bytes', bar: { ratio: 1 } }),
    row('bytes a wait, without a deadline', 'bytes', 'async-sema', {
      system: ENDLESS,
      unit: 'bytes',
      aim: { ratio: 1 },
    }),
    row('one release frees 100,000: longest block', 'block', undefined, { unit: 'ms', bar: { value: 20 } }),
  ],
};
