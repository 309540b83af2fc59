/**
 * Queues of items, beside queues by hand and generic-pool. ns of CPU an item, of 100,000.
 *
 *   kept     put and take, one after the other: nobody waits
 *   takers   a thousand takers, who ask again; an item is put for each, a hundred a turn
 *   3 keys   the same, each of them on three keys
 *   lease    as takers, but they lease it, and ack in the turn
 *   pool     ten connections, used by a thousand workers
 */
import { Queues } from 'purgatory/queues';
import { cpuNs, turn } from './harness/measure.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import { npmPeer } from './peers/npm-peer.ts';

const ITEMS = 100_000;
const TAKERS = 1_000;
const PUTS_A_TURN = 100;
const CONNECTIONS = 10;
const TIMEOUT_MS = 30_000;
/** V8 compiles what queues do once they have done it for long. */
const WARM_UPS = 3;

interface Subject {
  put(key: string, item: number): unknown;
  take(keys: readonly string[]): Promise<unknown>;
}

/** As it is written by hand, for one key: an array of items, and one of callbacks. No deadlines. */
class QueueByHand implements Subject {
  readonly #items: number[] = [];
  readonly #takers: ((item: number) => void)[] = [];

  put(_key: string, item: number): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#items.push(item);
    else taker(item);
  }

  take(): Promise<number> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => this.#takers.push(resolve));
  }
}

function ours(timeoutMs: number): Subject {
  const queues = new Queues<number>('bench');
  return { put: (key, item) => queues.put(key, item), take: (keys) => queues.take(keys, { timeoutMs }) };
}

async function kept(subject: Subject, count: number): Promise<number> {
  const startNs = cpuNs();
  for (let item = 0; item < count; item++) {
    subject.put('a', item);
    await subject.take(['a']);
  }
  return (cpuNs() - startNs) / count;
}

async function taken(subject: Subject, count: number, keys: readonly string[]): Promise<number> {
  let done = 0;
  const takes = async (): Promise<void> => {
    while (done < count) {
      await subject.take(keys);
      done++;
    }
  };
  for (let i = 0; i < TAKERS; i++) void takes();
  await turn();
  const startNs = cpuNs();
  for (let item = 0; item < count; await turn()) {
    for (let i = 0; i < PUTS_A_TURN; i++) subject.put(keys[item % keys.length], item++);
  }
  return (cpuNs() - startNs) / count;
}

/** A subject whose takers lease, and ack at once. */
function leasing(timeoutMs: number): Subject {
  const queues = new Queues<number>('bench');
  const options = { timeoutMs, leaseMs: TIMEOUT_MS };
  const take = async (keys: readonly string[]): Promise<void> => {
    const lease = await queues.lease(keys, options);
    if (!lease.expired) lease.ack();
  };
  return { put: (key, item) => queues.put(key, item), take };
}

/** @param use lends a connection to `work`. */
async function pooled(use: (work: () => Promise<void>) => Promise<unknown>, count: number): Promise<number> {
  let done = 0;
  const work = async (): Promise<void> => {};
  const uses = async (): Promise<void> => {
    for (let i = 0; i < count / TAKERS; i++) await use(work);
    done++;
  };
  const startNs = cpuNs();
  for (let i = 0; i < TAKERS; i++) void uses();
  while (done < TAKERS) await turn();
  return (cpuNs() - startNs) / count;
}

type Runs = Record<string, (count: number) => Promise<number>>;

const queuesRuns = (timeoutMs: number): Runs => ({
  kept: (count) => kept(ours(timeoutMs), count),
  takers: (count) => taken(ours(timeoutMs), count, ['a']),
  '3 keys': (count) => taken(ours(timeoutMs), count, ['a', 'b', 'c']),
  lease: (count) => taken(leasing(timeoutMs), count, ['a']),
  pool: (count) => {
    const queues = new Queues<number>('bench');
    queues.putAll('idle', Array.from(Array(CONNECTIONS).keys()));
    const use = async (work: () => Promise<void>): Promise<void> => {
      const taken = await queues.take(['idle'], { timeoutMs });
      await work();
      if (!taken.expired) queues.putBack(taken);
    };
    return pooled(use, count);
  },
});

const byHand: Runs = {
  kept: (count) => kept(new QueueByHand(), count),
  takers: (count) => taken(new QueueByHand(), count, ['a']),
};

interface GenericPool {
  createPool(factory: object, options: object): { use(work: () => Promise<void>): Promise<unknown> };
}

const genericPool: Runs = {
  pool: async (count) => {
    const { createPool } = await npmPeer<GenericPool>('generic-pool');
    const factory = { create: async () => ({}), destroy: async () => {} };
    const options = { max: CONNECTIONS, min: CONNECTIONS, acquireTimeoutMillis: TIMEOUT_MS };
    const pool = createPool(factory, options);
    return pooled((work) => pool.use(work), count);
  },
};

function measuring(runs: Runs): System {
  return async ({ size, quick }: Run): Promise<Measured> => {
    const count = quick ? size / 10 : size;
    const measured: Measured = {};
    for (const [metric, run] of Object.entries(runs)) {
      for (let i = 0; i < (quick ? 0 : WARM_UPS); i++) await run(count);
      measured[metric] = await run(count);
    }
    return measured;
  };
}

const row = (
  title: string,
  metric: string,
  more: Partial<Workload['rows'][number]> = {},
): Workload['rows'][number] => ({ title: `queues, ${title}`, size: ITEMS, metric, ...more });

const ENDLESS = 'purgatory, no deadline';

export const queues: Workload = {
  name: 'queues',
  title: 'Queues of items, with a deadline for each take and without',
  unit: 'ns',
  sizeLabel: 'items',
  sizes: { full: [ITEMS], quick: [ITEMS] },
  rounds: 3,
  systems: {
    purgatory: measuring(queuesRuns(TIMEOUT_MS)),
    [ENDLESS]: measuring(queuesRuns(Number.POSITIVE_INFINITY)),
    'by hand': measuring(byHand),
    'generic-pool': measuring(genericPool),
  },
  rows: [
    row('put and take', 'kept', { peer: 'by hand' }),
    row('a thousand takers', 'takers', { system: ENDLESS, peer: 'by hand' }),
    row('a thousand takers, with a deadline', 'takers', { peer: 'by hand' }),
    row('a thousand takers on three keys', '3 keys'),
    row('a thousand who lease, with a deadline', 'lease'),
    row('a pool of ten, a thousand workers', 'pool', { peer: 'generic-pool', bar: { ratio: 1 } }),
  ],
};
