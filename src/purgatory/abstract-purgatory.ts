// What all purgatories have in common, whatever their operations wait for: what is parked, how it
// is taken out, the end.
import { isDebugging } from '../base/debug.ts';
import { waitCancelled } from '../base/errors.ts';
import type { Timer } from '../timer/timer.ts';
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
export abstract class AbstractPurgatory<K, Op extends DelayedOperation> {
  readonly name: string;
  readonly #parking: Parking<never>;

  /** @internal */
  protected constructor(parking: Parking<never>) {
    this.name = parking.name;
    this.#parking = parking;
    parking.meter.observe(this);
  }

  /** The timer of its deadlines: the one that it was given, or its own SystemTimer. */
  get timer(): Timer {
    return this.#parking.timer;
  }

  /** The option: the most operations and waits parked at once. Infinity for no limit. */
  get maxParked(): number {
    return this.#parking.maxParked;
  }

  /** Parked operations: `parked` in the snapshot. The name is Kafka's. O(1). */
  get numDelayed(): number {
    return this.#parking.lists.size;
  }

  /**
   * Pairs of a parked operation and a key that it watches, as in the snapshot. In a
   * ThresholdPurgatory: that it still waits on. O(1).
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
    return this.#parking.lists.watchersOf(key);
  }

  /**
   * Takes out, unanswered, every operation that watches `key`, off its other keys too; returns them
   * in park order. They may be forced or parked again. Waits are rejected with
   * ERR_PURGATORY_CANCELLED and not returned. In a ThresholdPurgatory the order is that of their
   * thresholds, and the key keeps its value.
   */
  cancelForKey(key: K): Op[] {
    const parking = this.#parking;
    if (isDebugging) parking.hints.lookAtEvent('cancelForKey', key);
    return parking.takeOut(parking.lists.allOf(key), () => waitCancelled(this.name)) as Op[];
  }

  /**
   * What is parked and what became of the rest, as plain JSON of bounded size; changes nothing.
   * Keys are shown as texts of at most 100 characters. O(top), and a bounded number of steps to
   * find the hottest keys.
   *
   * @throws TypeError, RangeError (Node's codes) when `top` is no integer from 0 to 100.
   */
  snapshot(options?: SnapshotOptions): PurgatorySnapshot {
    const { name, maxParked, lists, meter, events } = this.#parking;
    return purgatorySnapshot(name, maxParked, lists, meter, events, options);
  }

  /**
   * Runs what is due now in its timer; how many tasks ran. With a shared timer, that is all tasks
   * of the timer.
   */
  advanceClock(): number {
    return this.#parking.timer.advanceClock();
  }

  /** Whether it was closed: then nothing is parked, and nothing can be. */
  get isClosed(): boolean {
    return this.#parking.isClosed;
  }

  /**
   * Ends the purgatory for good, and its timer unless that is shared. Completes nothing: returns
   * what is still parked, in park order; rejects pending waits with ERR_PURGATORY_CLOSED, one error
   * for all, whose `cause` is a text that names one of them. A second call returns []. O(parked).
   */
  close(): Op[] {
    return this.#parking.close() as Op[];
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * What is parked, operation by operation, for the inspector. It changes nothing of it. @internal
   */
  get $parked(): ParkedView {
    return this.#parking;
  }
}

/** Throws unless the invariants of a purgatory's structures hold. For tests: O(pairs). @internal */
export function checkPurgatoryInvariants({ $parked }: { readonly $parked: ParkedView }): void {
  $parked.lists.check();
}
