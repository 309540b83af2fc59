// A purgatory for conditions that are a number: wait until the value of a key is at least a
// threshold, such as an offset that is replicated, or until the deadline.
//
// Invariants. It remembers the last value of each key, also a lower one, so a wait for a value that
// was reached is over at once, and no wake-up is lost. A pass takes the thresholds from the lowest
// up, as long as they are at most the value that the key has THEN. User code may advance the key,
// set it back, delete it or close the purgatory: the pass goes on from there.
//
// Costs. advance: O(completed x log waiting), and O(1) when it reaches no threshold. A wait and its
// end: O(log waiting).
import { singleKey } from '../../base/checks.ts';
import { isDebugging } from '../../base/debug.ts';
import { readOptions, titleOf } from '../../base/options.ts';
import { BusLink, busLinkOf } from '../../bus/membership/bus-link.ts';
import { type BusMember, checkHintKey, checkHintValue } from '../../bus/membership/bus-member.ts';
import { AbstractPurgatory } from '../../purgatory/abstract-purgatory.ts';
import { hintAtEvent, hintAtKeys } from '../../purgatory/debug-hints.ts';
import { checkOperation, type DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { Parking } from '../../purgatory/parking.ts';
import { checkedWaitOptions, parkingParts, type WaitOptions } from '../../purgatory/purgatory-options.ts';
import type { PurgatorySnapshot, SnapshotOptions } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { WaitResult } from '../../purgatory/wait.ts';
import { CurrentValues } from './current-values.ts';
import {
  type Current,
  checkCurrentIsGiven,
  checkedThresholds,
  checkValue,
  THRESHOLD_PURGATORY_OPTIONS,
  type ThresholdPurgatoryOptions,
} from './threshold-options.ts';
import { ThresholdWaiter } from './threshold-waiter.ts';
import { type Threshold, Thresholds, type ThresholdValue } from './thresholds.ts';

/** A ThresholdPurgatory at one moment. */
export interface ThresholdSnapshot extends PurgatorySnapshot {
  /** Keys that have a value. They take memory until `delete`, whether somebody waits or not. */
  keptValues: number;
}

/**
 * Parks operations until the value of each of their keys has reached its threshold, or until their
 * deadline. Values are numbers, Infinity included, or bigints (an int64 offset). Both may meet on
 * one key: they compare exactly.
 */
export class ThresholdPurgatory<
  K = string,
  V extends ThresholdValue = number,
  Op extends DelayedOperation = DelayedOperation,
> extends AbstractPurgatory<K, Op> {
  readonly #parking: Parking<Threshold<K, V>, Thresholds<K, V>>;
  readonly #currentValues: CurrentValues<K, V> | undefined;

  /**
   * @param name for people: errors and metrics show it.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   * @throws PurgatoryError ERR_PURGATORY_ALREADY_JOINED: a purgatory of that name is on the bus in
   * this process; _CLOSED: the bus is closed.
   */
  constructor(name: string, options?: ThresholdPurgatoryOptions<K, V, Op>) {
    const title = titleOf('ThresholdPurgatory', name);
    const read = readOptions(title, options, THRESHOLD_PURGATORY_OPTIONS);
    const { current, loadTimeoutMs, keep, bus, sweepMs, onError, ...given } = read;
    if (current === undefined) checkCurrentIsGiven(bus, keep);
    const parts = parkingParts(title, name, given, onError);
    const parking = new Parking(parts, new Thresholds<K, V>(keep === 'all'));
    super(parking);
    this.#parking = parking;
    if (current !== undefined) {
      const take = (key: K, value: V): void => void this.#advance(key, value);
      const read = current as unknown as Current<K, V>;
      const random = bus?.random ?? Math.random;
      this.#currentValues = new CurrentValues(read, loadTimeoutMs, parking, take, parts.timer.clock, random);
    }
    const hinted: BusMember['hinted'] = (key, value) => this.#hinted(key as K, value as V | undefined);
    const member = { name, hinted, dropsLateValues: true };
    const link = busLinkOf({ bus, sweepMs }, parts.timer);
    parking.link = BusLink.join(link, member, parking.lists, (link) => this.#currentValues?.sweeper(link));
  }

  /**
   * The value to which `key` was last advanced. Undefined if it never was, or was deleted. O(1).
   */
  get(key: K): V | undefined {
    return this.#parking.lists.valueAt(singleKey('key', key, 'several keys are several get'));
  }

  /**
   * The value of `key` is `value` now. Completes every operation that has no threshold left to wait
   * for, in order of the threshold, then of parking. Returns how many. A lower value than before
   * completes nothing. After `close` it does nothing. O(completed x log waiting): operations with
   * higher thresholds are not looked at. The value is kept until `delete`, in about 225 bytes: delete
   * keys that are gone, or see the option `keep`.
   *
   * A completion may call this again, also for the same key. The inner call counts what it
   * completes. A long chain of such calls takes stack, so let each link wait for the next turn
   * (`queueMicrotask`).
   *
   * With a bus, it does the same soon after in the purgatories of this name in all other processes.
   * Where several writers advance one key, the value of one may come after the higher value of
   * another. So without the option `current`, a key needs one writer at a time.
   *
   * @throws TypeError ERR_INVALID_ARG_TYPE for neither a number nor a bigint, RangeError
   * ERR_OUT_OF_RANGE for NaN.
   * @throws with a bus: TypeError ERR_INVALID_ARG_TYPE for a key that is no string,
   * ERR_INVALID_ARG_VALUE for one of more than 1,024 bytes; RangeError ERR_OUT_OF_RANGE for a
   * bigint of more than 40 digits.
   */
  advance(key: K, value: V): number {
    singleKey('key', key, 'several keys are several advance');
    checkValue('value', value);
    if (isDebugging) hintAtEvent(this.#parking, 'advance', key);
    if (this.#parking.isClosed) return 0;
    if (this.#parking.link !== undefined) {
      checkHintValue(value);
      this.#parking.link.publish(key, value);
    }
    return this.#set(key, value);
  }

  #set(key: K, value: V): number {
    const before = this.#currentValues && this.get(key);
    const completed = this.#advance(key, value);
    if (before !== undefined && value < before) this.#currentValues?.doubt(key);
    return completed;
  }

  #advance(key: K, value: V): number {
    const parking = this.#parking;
    const { lists } = parking;
    lists.setValue(key, value);
    parking.underWay.push(key);
    let completed = 0;
    try {
      for (let op = lists.takeReached(key); op !== undefined; op = lists.takeReached(key)) {
        if (parking.tryParked(op, key)) completed++;
      }
    } finally {
      lists.endAdvance(key);
      parking.endEvent();
    }
    return completed;
  }

  /**
   * Forgets the value of `key`, as if it had never been advanced. Operations that wait on the key
   * stay parked. True iff it had a value. Call it for keys that are gone: a key with a value takes
   * memory. O(1).
   */
  delete(key: K): boolean {
    return this.#parking.lists.forgetValue(singleKey('key', key, 'several keys are several delete'));
  }

  /**
   * Waits until the value of `key` is at least `threshold`. Does not wait when it is that already.
   * Resolves with the value that was reached, or with `{ expired: true }` after `timeoutMs`. O(log
   * waiting).
   *
   * Rejects with `signal.reason` on abort. Rejects with a TypeError or RangeError (Node's codes)
   * for bad arguments. Rejects with a PurgatoryError: ERR_PURGATORY_CLOSED, _FULL, or _CANCELLED by
   * `cancelForKey`. Never throws.
   */
  awaitAtLeast(key: K, threshold: V, options: WaitOptions): Promise<WaitResult<V>> {
    try {
      singleKey('key', key, 'a wait on several keys is an operation of tryCompleteElseWatch');
      if (this.#parking.link !== undefined) checkHintKey(key);
      checkValue('threshold', threshold);
      const checked = checkedWaitOptions(options);
      this.#parking.checkOpen(checked.signal);
      const waiter = new ThresholdWaiter(key, this.#parking.lists, checked);
      this.#tryElsePark(waiter, [[key, threshold]]);
      return waiter.begin() as Promise<WaitResult<V>>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * For answers without promises. Completes `operation` if all `thresholds` are reached. Else parks
   * it until each of them has been reached at some time. Then its `tryComplete` is called, once. If
   * that returns false (that of a {@link ThresholdOperation} never does), the operation stays
   * parked for its deadline, `forceComplete` or `cancel`. True iff this call completed it. If
   * `tryComplete` throws in this call, the error goes to the caller, and nothing is parked.
   * O(thresholds x log waiting).
   *
   * @param thresholds pairs of a key and the value that it must reach: an array of them, or a Map. A
   *   key that is given twice counts once: the higher value decides.
   * @throws TypeError ERR_INVALID_ARG_TYPE: no DelayedOperation, no iterable of pairs, or a
   * threshold that is neither a number nor a bigint; ERR_INVALID_ARG_VALUE: no pairs. RangeError
   * ERR_OUT_OF_RANGE: a threshold is NaN.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED; _ALREADY_WATCHED: it is parked; _ALREADY_PENDING:
   * it is in a timer; _FULL: `maxParked`, or the timer's `maxPending`, is reached.
   */
  tryCompleteElseWatch(operation: Op, thresholds: Iterable<Threshold<K, V>>): boolean {
    checkOperation(operation);
    const checked = checkedThresholds(thresholds);
    if (this.#parking.link !== undefined) for (const [key] of checked) checkHintKey(key);
    return this.#tryElsePark(operation, checked);
  }

  /** How many keys have a value that is kept. O(1). */
  get keptValues(): number {
    return this.#parking.lists.values;
  }

  /** As the `snapshot` of a Purgatory, with the number of kept values. */
  override snapshot(options?: SnapshotOptions): ThresholdSnapshot {
    return { ...super.snapshot(options), keptValues: this.keptValues };
  }

  /** As the `close` of a Purgatory. It also forgets all values. */
  override close(): Op[] {
    this.#currentValues?.close();
    const parked = super.close();
    this.#parking.lists.forgetValues();
    return parked;
  }

  #hinted(key: K, value: V | undefined): boolean {
    const isWaitedOn = this.watchersOf(key) > 0;
    if (value !== undefined) this.#set(key, value);
    else if (isWaitedOn) this.#currentValues?.ask(key);
    return isWaitedOn;
  }

  /**
   * Asks for values that are not known here. With interest routing, a newer value may have come
   * while nobody waited on its key. A bus that has yet to subscribe calls `hinted` once it has.
   */
  #askUnknown(thresholds: readonly Threshold<K, V>[]): void {
    const { interest } = this.#parking.lists;
    for (const [key] of thresholds) {
      const isUnheard =
        interest !== undefined && this.watchersOf(key) === 1 && !interest.isHeld(key as string);
      if (isUnheard) this.#currentValues?.ask(key);
      else this.#currentValues?.waited(key);
    }
  }

  #tryElsePark(op: DelayedOperation, thresholds: readonly Threshold<K, V>[]): boolean {
    const parking = this.#parking;
    if (isDebugging)
      hintAtKeys(
        parking,
        thresholds.map(([key]) => key),
      );
    if (thresholds.every((threshold) => parking.lists.isReached(threshold))) {
      if (parking.tryElsePark(op, thresholds)) return true;
    } else {
      parking.parkUntried(op, thresholds);
    }
    if (this.#currentValues !== undefined && parking.keeps(op)) this.#askUnknown(thresholds);
    return false;
  }
}
