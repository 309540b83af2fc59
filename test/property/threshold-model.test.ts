// ThresholdPurgatory against a reference that keeps a plain list and scans all of it.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { ManualClock, SystemTimer } from '../../src/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/threshold-purgatory.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { deeplySame, same } from '../support/same.ts';
import { LoggingOperation } from '../support/threshold-op.ts';
import { turn } from '../support/turns.ts';
import { runs } from './runs.ts';

type Key = 'x' | 'y' | 'z';
const GROUPS = 3;
type Value = number | bigint;

interface Wait {
  readonly label: string;
  /** The group whose signal it has, if it is a wait of awaitAtLeast, and no operation. */
  readonly group: number | undefined;
  readonly deadlineMs: number;
  readonly unreached: [Key, Value][];
}

/** The reference: every step scans all waits. */
class NaivePurgatory {
  waits: Wait[] = [];
  readonly values = new Map<Key, Value>();
  readonly log: string[] = [];
  /** How each wait of awaitAtLeast ended. */
  readonly settled = new Map<string, string>();
  nowMs = 0;
  readonly keep: 'all' | 'watched';

  constructor(keep: 'all' | 'watched') {
    this.keep = keep;
  }

  /** To be called after each step. */
  forgetUnwatched(): void {
    if (this.keep === 'all') return;
    const watched = new Set(this.waits.flatMap(({ unreached }) => unreached.map(([key]) => key)));
    for (const key of this.values.keys()) if (!watched.has(key)) this.values.delete(key);
  }

  isReached([key, threshold]: [Key, Value]): boolean {
    const value = this.values.get(key);
    return value !== undefined && value >= threshold;
  }

  park(label: string, delayMs: number, thresholds: [Key, Value][], group?: number): void {
    const highest = new Map([...thresholds].sort(([, p], [, q]) => compare(p, q)));
    const keys = [...new Set(thresholds.map(([key]) => key))];
    const unreached = keys
      .map((key): [Key, Value] => [key, highest.get(key) as Value])
      .filter((threshold) => !this.isReached(threshold));
    const wait = { label, group, deadlineMs: this.nowMs + delayMs, unreached };
    if (unreached.length > 0) this.waits.push(wait);
    else this.#complete(wait, this.values.get(thresholds[0][0]));
  }

  #complete({ label, group }: Wait, value: unknown): void {
    if (group === undefined) this.log.push(`complete ${label}`);
    else this.settled.set(label, `value ${value}`);
  }

  /** Drops those, which are not completed. Returns the operations among them. */
  drop(waits: readonly Wait[], how: string): string[] {
    for (const wait of waits) {
      this.#drop(wait);
      if (wait.group !== undefined) this.settled.set(wait.label, how);
    }
    return waits.filter(({ group }) => group === undefined).map(({ label }) => label);
  }

  advance(key: Key, value: Value): number {
    this.values.set(key, value);
    // In the order of the thresholds. Ties are in park order.
    const reached = this.#waitsOn(key).filter(({ threshold }) => threshold <= value);
    let completed = 0;
    for (const { wait } of reached) {
      const left = wait.unreached.filter((threshold) => threshold[0] !== key);
      wait.unreached.splice(0, Number.POSITIVE_INFINITY, ...left);
      if (left.length > 0) continue;
      this.#drop(wait);
      this.#complete(wait, value);
      completed++;
    }
    return completed;
  }

  tick(ms: number): void {
    this.nowMs += ms;
    const due = this.waits.filter((wait) => wait.deadlineMs <= this.nowMs);
    due.sort((p, q) => p.deadlineMs - q.deadlineMs);
    for (const wait of due) {
      const ended = this.drop([wait], 'expired');
      for (const label of ended) this.log.push(`complete ${label}`, `expire ${label}`);
    }
  }

  cancel(label: string): boolean {
    const wait = this.waits.find((each) => each.label === label);
    if (wait !== undefined) this.#drop(wait);
    return wait !== undefined;
  }

  cancelForKey(key: Key): string[] {
    const cancelled = this.#waitsOn(key).map(({ wait }) => wait);
    return this.drop(cancelled, 'ERR_PURGATORY_CANCELLED');
  }

  /** In the order of their thresholds. */
  #waitsOn(key: Key): { wait: Wait; threshold: Value }[] {
    return this.waits
      .flatMap((wait) => wait.unreached.map(([k, threshold]) => ({ wait, k, threshold })))
      .filter(({ k }) => k === key)
      .sort((p, q) => compare(p.threshold, q.threshold));
  }

  #drop(wait: Wait): void {
    this.waits = this.waits.filter((each) => each !== wait);
  }
}

function compare(p: Value, q: Value): number {
  return p < q ? -1 : p > q ? 1 : 0;
}

interface Both {
  readonly naive: NaivePurgatory;
  readonly purgatory: ThresholdPurgatory<Key, Value, LoggingOperation>;
  readonly clock: ManualClock;
  readonly ops: Map<string, LoggingOperation>;
  readonly log: string[];
  readonly controllers: readonly AbortController[];
  /** How each wait of awaitAtLeast ended. */
  readonly settled: Map<string, string>;
  waits: number;
}

type Step = (both: Both) => void;

const key = fc.constantFrom<Key>('x', 'y', 'z');
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -3, max: 20 }),
  fc.bigInt({ min: -3n, max: 20n }),
);

const park = fc
  .record({
    delayMs: fc.integer({ min: 1, max: 40 }),
    thresholds: fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 3 }),
  })
  .map(
    ({ delayMs, thresholds }): Step =>
      ({ naive, purgatory, ops, log }) => {
        const op = new LoggingOperation(String(ops.size), delayMs, log);
        ops.set(op.label, op);
        naive.park(op.label, delayMs, thresholds);
        purgatory.tryCompleteElseWatch(op, thresholds);
      },
  );

const group = fc.nat({ max: GROUPS - 1 });

const wait = fc
  .record({
    group,
    key,
    threshold: value,
    timeoutMs: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(Number.POSITIVE_INFINITY)),
  })
  .map(
    ({ group, key, threshold, timeoutMs }): Step =>
      (both) => {
        const { naive, purgatory, controllers, settled } = both;
        const label = `wait ${both.waits++}`;
        const { signal } = controllers[group];
        if (signal.aborted) naive.settled.set(label, `abort ${group}`);
        else naive.park(label, timeoutMs, [[key, threshold]], group);
        purgatory.awaitAtLeast(key, threshold, { timeoutMs, signal }).then(
          (result) => settled.set(label, result.expired ? 'expired' : `value ${result.value}`),
          (error) => settled.set(label, error.code ?? error),
        );
      },
  );

const abort = group.map(
  (group): Step =>
    ({ naive, controllers }) => {
      const waiting = naive.waits.filter((each) => each.group === group);
      naive.drop(waiting, `abort ${group}`);
      controllers[group].abort(`abort ${group}`);
    },
);

const advance = fc.tuple(key, value).map(
  ([k, v]): Step =>
    ({ naive, purgatory }) => {
      same(purgatory.advance(k, v), naive.advance(k, v));
    },
);

const tick = fc.integer({ min: 0, max: 15 }).map(
  (ms): Step =>
    ({ naive, clock }) => {
      naive.tick(ms);
      clock.advance(ms);
    },
);

const cancel = fc.nat({ max: 60 }).map(
  (n): Step =>
    ({ naive, ops }) => {
      same(ops.get(String(n))?.cancel() ?? false, naive.cancel(String(n)));
    },
);

const forget = key.map(
  (k): Step =>
    ({ naive, purgatory }) => {
      same(purgatory.delete(k), naive.values.delete(k));
    },
);

const cancelForKey = key.map(
  (k): Step =>
    ({ naive, purgatory }) => {
      deeplySame(
        purgatory.cancelForKey(k).map(({ label }) => label),
        naive.cancelForKey(k),
      );
    },
);

const keep = fc.constantFrom('all' as const, 'watched' as const);

const step = fc.oneof(
  { weight: 10, arbitrary: park },
  { weight: 5, arbitrary: wait },
  { weight: 1, arbitrary: abort },
  { weight: 6, arbitrary: advance },
  { weight: 3, arbitrary: tick },
  { weight: 3, arbitrary: cancel },
  { weight: 1, arbitrary: forget },
  { weight: 1, arbitrary: cancelForKey },
);

describe('ThresholdPurgatory, whatever is done to it', () => {
  it('does what a list that is scanned from end to end does', async () => {
    await fc.assert(
      fc.asyncProperty(keep, fc.array(step, { minLength: 20, maxLength: 80 }), async (keep, steps) => {
        const clock = new ManualClock();
        const timer = new SystemTimer({ clock, wheelSize: 4 });
        const naive = new NaivePurgatory(keep);
        const log: string[] = [];
        const purgatory = new ThresholdPurgatory<Key, Value, LoggingOperation>('model', {
          timer,
          keep,
          current: keep === 'watched' ? () => undefined : undefined,
        });
        const controllers = Array.from({ length: GROUPS }, () => new AbortController());
        const settled = new Map<string, string>();
        const ops = new Map<string, LoggingOperation>();
        const both = { naive, purgatory, clock, ops, log, controllers, settled, waits: 0 };
        for (const run of steps) {
          run(both);
          naive.forgetUnwatched();
          checkAndCompact(purgatory);
          deeplySame(log, naive.log);
          same(purgatory.keptValues, naive.values.size);
          for (const k of ['x', 'y', 'z'] as const) same(purgatory.get(k), naive.values.get(k));
          const pairs = naive.waits.flatMap(({ unreached }) => unreached);
          const timed = naive.waits.filter(({ deadlineMs }) => deadlineMs < Number.POSITIVE_INFINITY);
          deeplySame(
            [purgatory.numDelayed, purgatory.watched, purgatory.watchedKeys, timer.size],
            [naive.waits.length, pairs.length, new Set(pairs.map(([k]) => k)).size, timed.length],
          );
          for (const [group, { signal }] of controllers.entries()) {
            const isWatched = naive.waits.some((each) => each.group === group);
            same(getEventListeners(signal, 'abort').length, isWatched ? 1 : 0);
          }
        }
        const left = naive.drop(naive.waits, 'ERR_PURGATORY_CLOSED');
        deeplySame(
          purgatory.close().map(({ label }) => label),
          left,
        );
        same(timer.size, 0);
        await turn();
        deeplySame(Object.fromEntries(settled), Object.fromEntries(naive.settled));
      }),
      runs(300),
    );
  });
});
