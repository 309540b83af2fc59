// A purgatory for conditions that are a number: wait until the value of a key is at least so much (an offset replicated, bytes there
// to read, a sequence number applied), or until the deadline.
//
// Ground rules. It owns its Parking and, unless one is shared with it, its timer. It remembers the last value of each key, so that a wait
// for what has been reached is over at once and no wake-up is lost between reading a value and waiting on it; `delete` forgets.
// The last value counts, a lower one too (a truncated log): a wait that ended is over, the next is measured by the lower value.
// Exactly once, and immediate removal, are the parking's: whatever ends a wait takes it off every heap and the timer in that call.
//
// A pass takes the thresholds from the lowest up for as long as they are at most what the key's value is THEN: user code in
// it may advance the key, set it back, delete it or close the purgatory, and the pass goes on with what has become of it.
//
// Costs. advance: O(completed x log waiting), and O(1) when it reaches no threshold; waiting, and the end of a wait by deadline,
// abort or cancel: O(log waiting). (A Purgatory tries every watcher of the key instead: right for conditions of any kind.)
import { throwIfAborted } from '../abort-listeners.ts';
import { invalidArgType, invalidArgValue, outOfRange } from '../errors.ts';
import type { DelayedOperation } from '../purgatory/delayed-operation.ts';
import { Parking } from '../purgatory/parking.ts';
import {
  checkedPurgatoryOptions,
  checkedWaitOptions,
  type PurgatoryOptions,
  type WaitOptions,
} from '../purgatory/purgatory-options.ts';
import {
  type PurgatorySnapshot,
  purgatorySnapshot,
  type SnapshotOptions,
} from '../purgatory/purgatory-snapshot.ts';
import { cancelledIn, closed, full, pending } from '../purgatory/refusals.ts';
import { Waiter, type WaitResult } from '../purgatory/wait-for.ts';
import type { Timer } from '../timer/timer.ts';
import type { ThresholdValue } from './threshold-heap.ts';
import { type Threshold, Thresholds } from './thresholds.ts';

/**
 * Parks operations until the values of their keys are at least what they wait for, or until their deadline. Values are numbers, Infinity
 * included, or bigints (an int64 offset); both may even meet on one key, as they compare exactly.
 */
export class ThresholdPurgatory<
  K = unknown,
  V extends ThresholdValue = number,
  Op extends DelayedOperation = DelayedOperation,
> {
  readonly name: string;
  readonly #timer: Timer;
  readonly #ownsTimer: boolean;
  readonly #maxParked: number;
  readonly #thresholds = new Thresholds<K, V>();
  readonly #parking: Parking<Threshold<K, V>, Thresholds<K, V>>;
  #isClosed = false;

  /**
   * @param name for people: errors and metrics show it.
   * @param options those of a Purgatory.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   */
  constructor(name: string, options?: PurgatoryOptions<Op>) {
    const { timer, ownsTimer, maxParked, onError } = checkedPurgatoryOptions(name, options);
    this.name = name;
    this.#timer = timer;
    this.#ownsTimer = ownsTimer;
    this.#maxParked = maxParked;
    this.#parking = new Parking(this, timer, this.#thresholds, onError);
  }

  /** Parked operations, waiters of `awaitAtLeast` included. */
  get numDelayed(): number {
    return this.#thresholds.size;
  }

  /** Thresholds that are waited for: pairs of a parked operation and a key that has not reached what it waits for. */
  get watched(): number {
    return this.#thresholds.pairs;
  }

  /** Keys that are waited on, whether they have a value or not. */
  get watchedKeys(): number {
    return this.#thresholds.keys;
  }

  /** The value that `key` was last advanced to; undefined when it never was, or was deleted. O(1). */
  get(key: K): V | undefined {
    return this.#thresholds.valueOf(key);
  }

  /**
   * The value of `key` is `value` now: completes every operation that this leaves without a threshold to wait for, in order of the
   * threshold, then of parking; returns how many. A lower value than before completes nothing. After `close` it does nothing.
   * O(completed x log waiting): those that wait for more are not looked at. The value is kept until `delete`.
   *
   * A completion may call this again, also for the same key, and what that completes it counts; a long chain of such calls
   * takes stack, so let its links wait for the next turn (`queueMicrotask`).
   *
   * @throws TypeError ERR_INVALID_ARG_TYPE for neither a number nor a bigint, RangeError ERR_OUT_OF_RANGE for NaN.
   */
  advance(key: K, value: V): number {
    checkValue('value', value);
    if (this.#isClosed) return 0;
    const thresholds = this.#thresholds;
    thresholds.setValue(key, value);
    const { meter } = this.#parking;
    const outer = this.#parking.beginPass();
    let completed = 0;
    try {
      for (let op = thresholds.takeReached(key); op !== undefined; op = thresholds.takeReached(key)) {
        if (meter.tellsTries) meter.willTry(op, key);
        if (this.#parking.tries(op)) completed++;
      }
    } finally {
      this.#parking.endPass(outer);
    }
    return completed;
  }

  /**
   * Forgets the value of `key`, as if it had never been advanced; who waits on it goes on waiting. True iff it had one.
   * To be called for keys that are gone: a key with a value takes memory. O(1).
   */
  delete(key: K): boolean {
    return this.#thresholds.forgetValue(key);
  }

  /**
   * Waits until the value of `key` is at least `threshold`; at once when it is that already. Resolves with the value that was
   * reached, or with `{ expired: true }` after `timeoutMs`. O(log waiting).
   *
   * Rejects with `signal.reason` on abort; with a TypeError or RangeError (Node's codes) for bad arguments; with a
   * PurgatoryError: ERR_PURGATORY_CLOSED, _FULL, or _CANCELLED by `cancelForKey`. Never throws.
   */
  async awaitAtLeast(key: K, threshold: V, options: WaitOptions): Promise<WaitResult<V>> {
    checkValue('threshold', threshold);
    const { timeoutMs, signal } = checkedWaitOptions(options);
    const waiter = new Waiter(() => this.#thresholds.valueOf(key), timeoutMs, signal);
    if (this.#isClosed) throw closed(this.name);
    throwIfAborted(signal);
    this.#tryElseWatch(waiter, [[key, threshold]]);
    if (waiter.isPending) waiter.watchSignal();
    return waiter.promise as Promise<WaitResult<V>>;
  }

  /**
   * For answers without promises: completes `op` if all `thresholds` are reached, else parks it until they are, each of them at some
   * time. Then its `tryComplete` is called, once: true iff this call completed it. One that refuses stays parked for its deadline,
   * `forceComplete` or `cancel`; a {@link ThresholdOperation} never does. O(thresholds x log waiting).
   *
   * What `tryComplete` throws comes through, and nothing is parked. An operation that is completed already is not parked.
   *
   * @param thresholds pairs of a key and what it is to reach: an array of them, or a Map.
   * @throws TypeError, RangeError: no DelayedOperation, no thresholds, or one that is no value. ERR_INVALID_ARG_VALUE: none.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED; _ALREADY_WATCHED: it is parked; _ALREADY_PENDING: it is in a timer;
   *   _FULL: `maxParked`, or the timer's `maxPending`, is reached.
   */
  tryCompleteElseWatch(op: Op, thresholds: Iterable<Threshold<K, V>>): boolean {
    if (op?.$place === undefined) throw invalidArgType('op', 'an instance of DelayedOperation', op);
    return this.#tryElseWatch(op, checkedThresholds(thresholds));
  }

  /**
   * Takes out, unanswered, every operation that waits on `key`, off its other keys too; returns them by threshold. They may be
   * forced or parked again. Waiters are rejected with ERR_PURGATORY_CANCELLED and not returned. The key keeps its value.
   */
  cancelForKey(key: K): Op[] {
    return this.#parking.takeOut(
      () => this.#thresholds.lowestOf(key),
      () => cancelledIn(this.name),
    ) as Op[];
  }

  /** As the `snapshot` of a Purgatory, with what is waited for in the place of what is watched. @throws as that. */
  snapshot(options?: SnapshotOptions): PurgatorySnapshot {
    return purgatorySnapshot(this.name, this.#maxParked, this.#thresholds, this.#parking.meter, options);
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
   * order; rejects pending waiters with ERR_PURGATORY_CLOSED; forgets all values. A second call returns [].
   */
  close(): Op[] {
    this.#isClosed = true;
    const operations = this.#thresholds.operations();
    const parked = this.#parking.takeOut(
      () => operations.next().value,
      () => closed(this.name),
    );
    this.#thresholds.forgetValues();
    if (this.#ownsTimer) this.#timer.close();
    return parked as Op[];
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #tryElseWatch(op: DelayedOperation, thresholds: readonly Threshold<K, V>[]): boolean {
    this.#checkParkable(op);
    if (op.isCompleted) return false;
    if (thresholds.every((threshold) => this.#thresholds.isReached(threshold))) {
      if (op.tryComplete()) return true;
      // The try was user code: it may have closed the purgatory, or completed or parked the operation elsewhere.
      if (op.isCompleted) return false;
      this.#checkParkable(op);
    }
    if (this.#thresholds.size >= this.#maxParked) throw full(this.name, this.#maxParked);
    this.#parking.park(op, thresholds);
    return false;
  }

  #checkParkable(op: DelayedOperation): void {
    if (this.#isClosed) throw closed(this.name);
    if (op.$keeper !== undefined) throw pending(op);
  }

  /** Throws unless the purgatory is sound. For tests. @internal */
  static check<K, V extends ThresholdValue, Op extends DelayedOperation>(
    purgatory: ThresholdPurgatory<K, V, Op>,
  ): void {
    purgatory.#thresholds.check();
  }
}

/** Throws unless the invariants of the purgatory's structures hold. For tests: O(pairs). */
export function checkThresholdInvariants<K, V extends ThresholdValue, Op extends DelayedOperation>(
  purgatory: ThresholdPurgatory<K, V, Op>,
): void {
  ThresholdPurgatory.check(purgatory);
}

function checkValue(name: string, value: unknown): void {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw invalidArgType(name, 'of type number or bigint', value);
  }
  if (Number.isNaN(value)) throw outOfRange(name, 'a number that can be reached', value);
}

function checkedThresholds<K, V extends ThresholdValue>(
  thresholds: Iterable<Threshold<K, V>>,
): Threshold<K, V>[] {
  if (typeof thresholds?.[Symbol.iterator] !== 'function') {
    throw invalidArgType('thresholds', 'an iterable of [key, threshold] pairs', thresholds);
  }
  const checked = [...thresholds];
  if (checked.length === 0) throw invalidArgValue('thresholds', 'must name at least one key', thresholds);
  for (const [i, pair] of checked.entries()) {
    if (!Array.isArray(pair)) throw invalidArgType(`thresholds[${i}]`, 'a [key, threshold] pair', pair);
    checkValue(`thresholds[${i}][1]`, pair[1]);
  }
  return checked;
}
