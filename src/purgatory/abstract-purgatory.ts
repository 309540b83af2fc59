// What all purgatories have in common, whatever their operations wait for: the counts, the ways to
// take operations out, and the end.
import { singleKey } from '../base/checks.ts';
import { isDebugging } from '../base/debug.ts';
import { TimerClient } from '../timer/timer-client.ts';
import { hintAtEvent } from './debug-hints.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import type { Parking } from './parking.ts';
import {
  type PurgatorySnapshot,
  purgatorySnapshot,
  type SnapshotOptions,
} from './telemetry/purgatory-snapshot.ts';

/**
 * The parked operations, for code that reads them one by one. Ask `lists` only about operations for
 * which `keeps` returns true. @internal
 */
export type ParkedView = Pick<Parking<never>, 'lists' | 'keeps' | 'meter'>;

/** The part of a purgatory that does not depend on what its operations wait for. */
export abstract class AbstractPurgatory<K, Op extends DelayedOperation> extends TimerClient {
  readonly #parking: Parking<never>;

  /** @internal */
  protected constructor(parking: Parking<never>) {
    super(parking.name, parking.timer);
    this.#parking = parking;
    parking.meter.observe(this);
  }

  /** The option: the most operations and waits parked at once. Infinity for no limit. */
  get maxParked(): number {
    return this.#parking.maxParked;
  }

  /** Parked operations: `parked` in the snapshot. The name is Kafka's. O(1). */
  override get numDelayed(): number {
    return this.#parking.lists.size;
  }

  /**
   * Pairs of a parked operation and a key that it watches, as in the snapshot. In a
   * ThresholdPurgatory, only keys that it still waits on count. O(1).
   */
  get watched(): number {
    return this.#parking.lists.pairs;
  }

  /** Keys that a parked operation watches, as in the snapshot. O(1). */
  get watchedKeys(): number {
    return this.#parking.lists.keys;
  }

  /** How many parked operations watch `key` now, or wait on it. O(1). */
  watchersOf(key: K): number {
    singleKey('key', key, 'several keys are several watchersOf');
    return this.#parking.lists.watchersOf(key);
  }

  /**
   * Takes out every operation that watches `key`, without an answer, and off its other keys too.
   * Returns these operations in park order; they may be forced or parked again. Waits are rejected
   * with ERR_PURGATORY_CANCELLED and not returned. In a ThresholdPurgatory the order is that of
   * their thresholds, and the key keeps its value.
   */
  cancelForKey(key: K): Op[] {
    singleKey('key', key, 'several keys are several cancelForKey');
    const parking = this.#parking;
    if (isDebugging) hintAtEvent(parking, 'cancelForKey', key);
    return parking.takeOut(parking.lists.allOf(key), () => parking.cancelled()) as Op[];
  }

  /**
   * The parked operations, and totals of those that have ended, as plain JSON of bounded size.
   * Changes nothing. Keys are shown as texts of at most 100 characters, objects as their class and
   * label. O(top), and a bounded number of steps to find the hottest keys.
   *
   * @throws TypeError, RangeError (Node's codes) when `top` is no integer from 0 to 100.
   */
  snapshot(options?: SnapshotOptions): PurgatorySnapshot {
    return purgatorySnapshot(this.#parking, options);
  }

  /**
   * Runs the due tasks of its timer, and returns how many ran. A shared timer runs the tasks of all
   * who share it.
   */
  advanceClock(): number {
    return this.#parking.timer.advanceClock();
  }

  /** Whether it was closed: then nothing is parked, and nothing can be. */
  get isClosed(): boolean {
    return this.#parking.isClosed;
  }

  /**
   * Ends the purgatory for good, and its timer unless that is shared. Completes nothing. Returns
   * the operations that are still parked, in park order. Rejects pending waits with
   * ERR_PURGATORY_CLOSED: one error for all, whose `cause` is a text that names one of them. A
   * second call returns []. O(parked).
   */
  override close(): Op[] {
    return this.#parking.close() as Op[];
  }

  /**
   * The parked operations one by one, for the inspector, which changes nothing. @internal
   */
  get $parked(): ParkedView {
    return this.#parking;
  }

  /** Its bus, for the inspector. @internal */
  get $bus(): object | undefined {
    return this.#parking.link?.bus;
  }
}
