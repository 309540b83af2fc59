// Where parked operations are kept: the watch lists and the timer, entered and left together.
//
// Ground rules. It is the keeper (timer-protocol.ts) of every operation that its purgatory has parked, and the only place where one
// enters or leaves. An operation is either on all its watch lists and, with a deadline, in the timer, or in none of them. It
// handles what user code throws where no caller of the user's could: inside a pass and in an expiry.
import { PurgatoryError } from '../errors.ts';
import { reportError } from '../timer/refusals.ts';
import type { Timer } from '../timer/timer.ts';
import type { TaskKeeper } from '../timer/timer-protocol.ts';
import { COMPLETED, type DelayedOperation, expire, type OperationKeeper } from './delayed-operation.ts';
import type { Named } from './operation-events.ts';
import { PurgatoryMeter } from './purgatory-meter.ts';
import { Waiter } from './wait-for.ts';

/** The lists of who waits for what: of a key alone, or of a key and more. `operation.$place` is theirs. */
export interface WatchLists<Watch> {
  /** Parks an operation that is parked nowhere; keeps `stamp`, an int32, for it. */
  park(operation: DelayedOperation, watches: readonly Watch[], stamp: number): void;
  /** The stamp of a parked operation. */
  stampOf(operation: DelayedOperation): number;
  /** Takes a parked operation off every list. */
  leave(operation: DelayedOperation): void;
}

export class Parking<Watch, Lists extends WatchLists<Watch>> implements TaskKeeper, OperationKeeper {
  readonly watchers: Lists;
  readonly meter: PurgatoryMeter;
  readonly #timer: Timer;
  readonly #onError: ((error: unknown, operation: DelayedOperation) => void) | undefined;

  /** The operation whose deadline has come: completing it means expiring it. */
  #expiring: DelayedOperation | undefined;

  constructor(
    purgatory: Named,
    timer: Timer,
    watchers: Lists,
    onError: ((error: unknown, operation: DelayedOperation) => void) | undefined,
  ) {
    this.#timer = timer;
    this.watchers = watchers;
    this.meter = new PurgatoryMeter(purgatory, timer);
    this.#onError = onError;
  }

  /** Parks an operation that is parked and pending nowhere. @throws what the timer's `add` throws; nothing is parked then. */
  park(operation: DelayedOperation, watches: readonly Watch[]): void {
    if (operation.delayMs !== Number.POSITIVE_INFINITY) this.#timer.add(operation);
    operation.$keeper = this;
    try {
      this.watchers.park(operation, watches, this.meter.stamp(operation));
    } catch (error) {
      this.#leave(operation);
      throw error;
    }
    this.meter.didPark(operation, watches);
  }

  keeps(operation: DelayedOperation): boolean {
    return operation.$keeper === this;
  }

  complete(operation: DelayedOperation): void {
    const stamp = this.watchers.stampOf(operation);
    this.#leave(operation);
    operation.$place = COMPLETED;
    if (operation === this.#expiring) this.meter.didExpire(operation, stamp);
    else this.meter.didComplete(operation, stamp);
  }

  withdraw(operation: DelayedOperation): void {
    const stamp = this.watchers.stampOf(operation);
    this.#leave(operation);
    this.meter.didCancel(operation, stamp);
  }

  /** For `cancel()`, and for a shared timer that is closed: the one way in which a waiter can meet this. */
  remove(operation: DelayedOperation): boolean {
    this.withdraw(operation);
    if (!(operation instanceof Waiter)) return true;
    operation.refuse(new PurgatoryError('ERR_PURGATORY_CLOSED', 'The timer of the purgatory was closed'));
    return false;
  }

  /** Takes a parked operation out, unanswered: a waiter is refused with `why`, any other goes to `ops`. */
  takeOut(operation: DelayedOperation, ops: DelayedOperation[], why: () => PurgatoryError): void {
    this.withdraw(operation);
    if (operation instanceof Waiter) operation.refuse(why());
    else ops.push(operation);
  }

  expire(operation: DelayedOperation): void {
    this.#expiring = operation;
    const errors = expire(operation);
    this.#expiring = undefined;
    for (const error of errors) this.report(error, operation);
  }

  report(error: unknown, operation: DelayedOperation): void {
    this.meter.didThrow(operation, error);
    reportError(error, operation, this.#onError);
  }
  #leave(operation: DelayedOperation): void {
    operation.$keeper = undefined;
    this.watchers.leave(operation);
    if (operation.delayMs !== Number.POSITIVE_INFINITY) this.#timer.remove(operation);
  }
}
