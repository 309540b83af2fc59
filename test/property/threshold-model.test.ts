// ThresholdPurgatory against a reference that keeps a plain list and scans all of it.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { ManualClock, SystemTimer } from '../../src/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/threshold-purgatory.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { deeplySame, same } from '../support/same.ts';
import { LoggingOperation } from '../support/threshold-op.ts';
import { turn } from '../support/turns.ts';
import { act, mixed } from './draw.ts';
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

type Step =
  | { readonly do: 'park'; readonly delayMs: number; readonly thresholds: [Key, Value][] }
  | { readonly do: 'wait'; readonly group: number; readonly at: [Key, Value]; readonly timeoutMs: number }
  | { readonly do: 'advance'; readonly at: [Key, Value] }
  | { readonly do: 'delete' | 'cancelForKey'; readonly key: Key }
  | { readonly do: 'abort'; readonly group: number }
  | { readonly do: 'tick'; readonly ms: number }
  | { readonly do: 'cancel'; readonly label: string };

const key = fc.constantFrom<Key>('x', 'y', 'z');
const value = fc.oneof(fc.integer({ min: -3, max: 20 }), fc.bigInt({ min: -3n, max: 20n }));
const at = fc.tuple(key, value);
const group = fc.nat({ max: GROUPS - 1 });
const delayMs = fc.integer({ min: 1, max: 40 });
const timeoutMs = fc.oneof(delayMs, fc.constant(Number.POSITIVE_INFINITY));

const step = mixed<Step>(
  [10, act('park', { delayMs, thresholds: fc.array(at, { minLength: 1, maxLength: 3 }) })],
  [5, act('wait', { group, at, timeoutMs })],
  [6, act('advance', { at })],
  [3, act('tick', { ms: fc.integer({ min: 0, max: 15 }) })],
  [3, act('cancel', { label: fc.nat({ max: 60 }).map(String) })],
  [2, act(['delete', 'cancelForKey'], { key })],
  [1, act('abort', { group })],
);

/** The purgatory and the reference side by side. */
class Pair {
  readonly clock = new ManualClock();
  readonly timer = new SystemTimer({ clock: this.clock, wheelSize: 4 });
  readonly naive: NaivePurgatory;
  readonly purgatory: ThresholdPurgatory<Key, Value, LoggingOperation>;
  readonly ops = new Map<string, LoggingOperation>();
  readonly log: string[] = [];
  readonly controllers = Array.from({ length: GROUPS }, () => new AbortController());
  /** How each wait of awaitAtLeast ended. */
  readonly settled = new Map<string, string>();
  #waits = 0;

  constructor(keep: 'all' | 'watched') {
    this.naive = new NaivePurgatory(keep);
    const current = keep === 'watched' ? () => undefined : undefined;
    this.purgatory = new ThresholdPurgatory('model', { timer: this.timer, keep, current });
  }

  do(step: Step): void {
    const { naive, purgatory, ops, log, controllers } = this;
    switch (step.do) {
      case 'park': {
        const op = new LoggingOperation(String(ops.size), step.delayMs, log);
        ops.set(op.label, op);
        naive.park(op.label, step.delayMs, step.thresholds);
        purgatory.tryCompleteElseWatch(op, step.thresholds);
        return;
      }
      case 'wait':
        this.#wait(step.group, step.at, step.timeoutMs);
        return;
      case 'advance':
        same(purgatory.advance(...step.at), naive.advance(...step.at));
        return;
      case 'tick':
        naive.tick(step.ms);
        this.clock.advance(step.ms);
        return;
      case 'cancel':
        same(ops.get(step.label)?.cancel() ?? false, naive.cancel(step.label));
        return;
      case 'delete':
        same(purgatory.delete(step.key), naive.values.delete(step.key));
        return;
      case 'cancelForKey':
        deeplySame(labels(purgatory.cancelForKey(step.key)), naive.cancelForKey(step.key));
        return;
      case 'abort': {
        const how = `abort ${step.group}`;
        naive.drop(
          naive.waits.filter((each) => each.group === step.group),
          how,
        );
        controllers[step.group].abort(how);
      }
    }
  }

  #wait(group: number, [key, threshold]: [Key, Value], timeoutMs: number): void {
    const { naive, settled } = this;
    const label = `wait ${this.#waits++}`;
    const { signal } = this.controllers[group];
    if (signal.aborted) naive.settled.set(label, `abort ${group}`);
    else naive.park(label, timeoutMs, [[key, threshold]], group);
    this.purgatory.awaitAtLeast(key, threshold, { timeoutMs, signal }).then(
      (result) => settled.set(label, result.expired ? 'expired' : `value ${result.value}`),
      (error) => settled.set(label, error.code ?? error),
    );
  }

  check(): void {
    const { naive, purgatory, timer } = this;
    naive.forgetUnwatched();
    checkAndCompact(purgatory);
    deeplySame(this.log, naive.log);
    same(purgatory.keptValues, naive.values.size);
    for (const k of ['x', 'y', 'z'] as const) same(purgatory.get(k), naive.values.get(k));
    const pairs = naive.waits.flatMap(({ unreached }) => unreached);
    const timed = naive.waits.filter(({ deadlineMs }) => deadlineMs < Number.POSITIVE_INFINITY);
    deeplySame(
      [purgatory.numDelayed, purgatory.watched, purgatory.watchedKeys, timer.size],
      [naive.waits.length, pairs.length, new Set(pairs.map(([k]) => k)).size, timed.length],
    );
    for (const [group, { signal }] of this.controllers.entries()) {
      const isWatched = naive.waits.some((each) => each.group === group);
      same(getEventListeners(signal, 'abort').length, isWatched ? 1 : 0);
    }
  }

  async end(): Promise<void> {
    const left = this.naive.drop(this.naive.waits, 'ERR_PURGATORY_CLOSED');
    deeplySame(labels(this.purgatory.close()), left);
    same(this.timer.size, 0);
    await turn();
    deeplySame(this.settled, this.naive.settled);
  }
}

const labels = (ops: readonly LoggingOperation[]): string[] => ops.map(({ label }) => label);

describe('ThresholdPurgatory, whatever is done to it', () => {
  it('does what a list that is scanned from end to end does', async () => {
    const keep = fc.constantFrom('all' as const, 'watched' as const);
    const steps = fc.array(step, { minLength: 20, maxLength: 80 });
    const property = fc.asyncProperty(keep, steps, async (keep, steps) => {
      const pair = new Pair(keep);
      for (const each of steps) {
        pair.do(each);
        pair.check();
      }
      await pair.end();
    });
    await fc.assert(property, runs(300));
  });
});
