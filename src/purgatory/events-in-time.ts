// Deadlines that come while an event on a key of the operation has yet to be answered: the event
// came in time, so the operation is tried first.
//
// Ground rules. It belongs to one Parking, which asks it before an operation expires, and tells it
// of each that leaves. That try is user code: it may take the operation out.
//
// Costs. isStillDue: O(keys of the operation), and a try where an event is to come. didLeave: O(1).
import type { DelayedOperation } from './delayed-operation.ts';
import type { EventsSnapshot } from './telemetry/events-snapshot.ts';

/** The events of a purgatory that have yet to be answered. */
export interface EventsToCome {
  /** A key of `operation` whose event is pending or under way, if there is one. O(its keys). */
  keyToCome(operation: DelayedOperation): { readonly key: unknown } | undefined;
  /** An event on `key` has completed an operation before its turn came. */
  didComplete(key: never): void;
  /** For the snapshot of the purgatory. */
  snapshot(nowMs: number): EventsSnapshot;
}

/** What tries an operation for an event, and reports what that throws. */
interface Trying {
  tryAgain(operation: DelayedOperation, key: unknown): boolean;
}

export class EventsInTime {
  /** The events of the purgatory, if it has such as wait. */
  events: EventsToCome | undefined;
  readonly #parking: Trying;
  /** The operation whose deadline has come, while it is tried. */
  #expiring: DelayedOperation | undefined;

  constructor(parking: Trying) {
    this.#parking = parking;
  }

  /** The deadline of `operation` has come: true iff it is to expire. */
  isStillDue(operation: DelayedOperation): boolean {
    const inTime = this.events?.keyToCome(operation);
    return inTime === undefined || this.#isDueAfterTry(operation, inTime.key);
  }

  #isDueAfterTry(operation: DelayedOperation, key: unknown): boolean {
    const outer = this.#expiring;
    this.#expiring = operation;
    if (this.#parking.tryAgain(operation, key)) this.events?.didComplete(key as never);
    const isStillDue = this.#expiring === operation;
    this.#expiring = outer;
    return isStillDue;
  }

  didLeave(operation: DelayedOperation): void {
    if (this.#expiring === operation) this.#expiring = undefined;
  }
}
