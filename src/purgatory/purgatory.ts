// The purgatory: operations that wait for an event on one of their watch keys, or else for their deadline.
//
// One way through it:   tryCompleteElseWatch -> parked (watch lists + timer) -> checkAndComplete on a key | deadline | cancel -> gone
//
// Ground rules. It owns its Parking and, unless one is shared with it, its timer. An operation is completed exactly once, and leaves
// every watch list and the timer in the call that completes, expires or cancels it, before its user code runs: no purge, no estimate.
// No wake-up is lost, as an operation is tried, then watched on all its keys, then tried again. User code may enter the
// purgatory again from anywhere: no state is held in a local variable across it, but for passes, which bear any change (passes.ts).
//
// Costs. Parking: O(keys). An event on a key: O(operations that watch it). Completing: O(keys of the operation).
// (Kafka: DelayedOperationPurgatory, without its locks and its purge.)
import { throwIfAborted } from '../abort-listeners.ts';
import { debug } from '../debug.ts';
import { invalidArgType } from '../errors.ts';
import { rootContext } from '../root-context.ts';
import type { Timer } from '../timer/timer.ts';
import { COMPLETED, type DelayedOperation, NOT_PARKED } from './delayed-operation.ts';
import { Parking } from './parking.ts';
import { tryWatchers } from './passes.ts';
import {
  checkedPurgatoryOptions,
  checkedWaitOptions,
  checkWatchKeys,
  type PurgatoryOptions,
  type WaitOptions,
} from './purgatory-options.ts';
import { type PurgatorySnapshot, purgatorySnapshot, type SnapshotOptions } from './purgatory-snapshot.ts';
import { cancelledIn, closed, full, pending } from './refusals.ts';
import { Waiter, type WaitResult } from './wait-for.ts';
import { Watchers } from './watchers.ts';

const turnEnd = Promise.resolve();

/** Parks operations until an event on one of their watch keys, or their deadline, completes them. */
export class Purgatory<K = unknown, Op extends DelayedOperation = DelayedOperation> {
  readonly name: string;
  readonly #timer: Timer;
  readonly #ownsTimer: boolean;
  readonly #parking: Parking<K, Watchers<K, DelayedOperation>>;
  readonly #maxParked: number = 0;
  #notified = new Set<K>();
  #isFlushDue = false;
  #isClosed = false;

  /**
   * @param name for people: errors and metrics show it.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   */
  constructor(name: string, options?: PurgatoryOptions<Op>) {
    const { timer, ownsTimer, maxParked, onError } = checkedPurgatoryOptions(name, options);
    this.name = name;
    this.#timer = timer;
    this.#ownsTimer = ownsTimer;
    this.#maxParked = maxParked;
    this.#parking = new Parking(this, timer, new Watchers(), onError);
  }

  /** Parked operations, waiters of `waitFor` included. */
  get numDelayed(): number {
    return this.#parking.watchers.size;
  }

  /** Pairs of a parked operation and a key that it watches. */
  get watched(): number {
    return this.#parking.watchers.pairs;
  }

  /** Keys that a parked operation watches. */
  get watchedKeys(): number {
    return this.#parking.watchers.keys;
  }

  /**
   * Tries `op`; if it cannot be completed yet, parks it until an event on one of `watchKeys`, or its deadline, completes it.
   * True iff this call completed it. A key given twice counts once. O(keys).
   *
   * What `tryComplete` throws comes through, and nothing is parked. An operation that is completed already is not parked.
   *
   * @throws TypeError ERR_INVALID_ARG_TYPE: no DelayedOperation, no array. ERR_INVALID_ARG_VALUE: no keys.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED; _ALREADY_WATCHED: it is parked; _ALREADY_PENDING: it is in a timer;
   *   _FULL: `maxParked`, or the timer's `maxPending`, is reached.
   */
  tryCompleteElseWatch(op: Op, watchKeys: readonly K[]): boolean {
    const place = op?.$place;
    if (place === undefined) throw invalidArgType('op', 'an instance of DelayedOperation', op);
    checkWatchKeys(watchKeys);
    return this.#tryElseWatch(op, place, watchKeys);
  }

  /**
   * An event on `key`: tries every operation that watches it, in the order they were parked, once each. Returns how many
   * its own tries completed. Operations that are parked meanwhile wait for the next event.
   */
  checkAndComplete(key: K): number {
    return tryWatchers(this.#parking, key);
  }

  /**
   * An event on `key` that is answered at the end of this turn (in a microtask), once however often it is notified before.
   * A completion that notifies in its turn is served in the same go with constant stack: use this from `onComplete`.
   */
  notify(key: K): void {
    if (this.#isClosed) return;
    this.#notified.add(key);
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    turnEnd.then(this.#flush);
  }

  /**
   * Waits until `attempt` returns something other than undefined: it is tried now, and on each event on one of `watchKeys`.
   * Resolves with that value, or with `{ expired: true }` after `timeoutMs`.
   *
   * Rejects with `signal.reason` on abort; with what `attempt` throws; with a TypeError or RangeError (Node's codes) for
   * bad arguments; with a PurgatoryError: ERR_PURGATORY_CLOSED, _FULL, or _CANCELLED by `cancelForKey`. Never throws.
   */
  async waitFor<T>(
    watchKeys: readonly K[],
    attempt: () => T | undefined,
    options: WaitOptions,
  ): Promise<WaitResult<T>> {
    checkWatchKeys(watchKeys);
    if (typeof attempt !== 'function') throw invalidArgType('attempt', 'of type function', attempt);
    const { timeoutMs, signal } = checkedWaitOptions(options);
    const waiter = new Waiter(attempt, timeoutMs, signal);
    if (this.#isClosed) throw closed(this.name);
    throwIfAborted(signal);
    this.#tryElseWatch(waiter, NOT_PARKED, watchKeys);
    if (waiter.isPending) waiter.watchSignal();
    return waiter.promise as Promise<WaitResult<T>>;
  }

  /**
   * Takes out, unanswered, every operation that watches `key`, off its other keys too; returns them in park order. They may be forced
   * or parked again. Waiters of `waitFor` are rejected with ERR_PURGATORY_CANCELLED and not returned.
   */
  cancelForKey(key: K): Op[] {
    const { watchers } = this.#parking;
    return this.#parking.takeOut(
      () => watchers.oldestOf(key),
      () => cancelledIn(this.name),
    ) as Op[];
  }

  /**
   * What is parked and what became of the rest, as plain JSON of bounded size; changes nothing. Keys are shown as texts of at most
   * 100 characters. O(top), and a bounded number of steps to find the hottest keys.
   *
   * @throws TypeError, RangeError (Node's codes) when `top` is no integer from 0 to 100.
   */
  snapshot(options?: SnapshotOptions): PurgatorySnapshot {
    const { watchers, meter } = this.#parking;
    return purgatorySnapshot(this.name, this.#maxParked, watchers, meter, options);
  }

  /** Runs what is due now in its timer; how many tasks ran. With a shared timer, that is all tasks of the timer. */
  advanceClock(): number {
    return this.#timer.advanceClock();
  }

  /** Whether it was closed: then nothing is parked, and nothing can be. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Ends the purgatory for good, and its timer unless that is shared. Completes nothing: returns what is still parked, in park
   * order; rejects pending waiters with ERR_PURGATORY_CLOSED. A second call returns [].
   */
  close(): Op[] {
    this.#isClosed = true;
    this.#notified.clear();
    const { watchers } = this.#parking;
    const parked = this.#parking.takeOut(
      () => watchers.oldest(),
      () => closed(this.name),
    );
    if (this.#ownsTimer) this.#timer.close();
    debug('purgatory "%s" closed with %d operations parked', this.name, parked.length);
    return parked as Op[];
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #tryElseWatch(op: DelayedOperation, place: number, keys: readonly K[]): boolean {
    if (this.#isClosed) throw closed(this.name);
    if (place === COMPLETED) return false;
    if (op.$keeper !== undefined) throw pending(op);
    if (op.tryComplete()) return true;
    // The try was user code: it may have closed the purgatory, or completed or parked the operation elsewhere.
    if (op.$place === COMPLETED) return false;
    if (op.$keeper !== undefined) throw pending(op);
    if (this.#isClosed) throw closed(this.name);
    if (this.#parking.watchers.size >= this.#maxParked) throw full(this.name, this.#maxParked);
    this.#parking.park(op, keys);
    if (this.#parking.meter.tellsTries) this.#parking.meter.willTry(op, undefined);
    try {
      return op.tryComplete();
    } catch (error) {
      if (this.#parking.keeps(op)) this.#parking.withdraw(op);
      throw error;
    }
  }

  // The turn's first notifier must not lend its async context to what the others' events complete.
  readonly #flush = (): void => rootContext.runInAsyncScope(this.#serveNotified, this);

  #serveNotified(): void {
    while (this.#notified.size > 0) {
      const keys = this.#notified;
      this.#notified = new Set();
      for (const key of keys) this.checkAndComplete(key);
    }
    this.#isFlushDue = false;
  }

  /** Throws unless the purgatory is sound. For tests. @internal */
  static check<K, Op extends DelayedOperation>(purgatory: Purgatory<K, Op>): void {
    purgatory.#parking.watchers.check();
  }
}

/** Throws unless the invariants of the purgatory's structures hold. For tests: O(pairs). */
export function checkPurgatoryInvariants<K, Op extends DelayedOperation>(purgatory: Purgatory<K, Op>): void {
  Purgatory.check(purgatory);
}
