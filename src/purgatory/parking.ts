// Where parked operations are kept: the watch lists and the timer, entered and left together.
//
// Ground rules. It is the keeper (timer-protocol.ts) of every operation that its purgatory has parked, and the only place where one
// enters or leaves. An operation is either on all its watch lists and, with a deadline, in the timer, or in none of them. It
// handles what user code throws where no caller of the user's could: inside a pass and in an expiry.
import { PurgatoryError, throwLater } from '../errors.ts';
import type { Timer } from '../timer/timer.ts';
import type { TaskKeeper } from '../timer/timer-protocol.ts';
import { type DelayedOperation, expire, type OperationKeeper } from './delayed-operation.ts';
import { Waiter } from './wait-for.ts';

/** The lists of who waits for what: of a key alone, or of a key and more. `operation.$place` is theirs. */
export interface WatchLists<Watch> {
  /** Parks an operation that is parked nowhere. */
  park(operation: DelayedOperation, watches: readonly Watch[]): void;
  /** Takes a parked operation off every list. */
  leave(operation: DelayedOperation): void;
}

export class Parking<Watch, Lists extends WatchLists<Watch>> implements TaskKeeper, OperationKeeper {
  readonly watchers: Lists;
  readonly #timer: Timer;
  readonly #onError: ((error: unknown, operation: DelayedOperation) => void) | undefined;

  constructor(
    timer: Timer,
    watchers: Lists,
    onError: ((error: unknown, operation: DelayedOperation) => void) | undefined,
  ) {
    this.#timer = timer;
    this.watchers = watchers;
    this.#onError = onError;
  }

  /** Parks an operation that is parked and pending nowhere. @throws what the timer's `add` throws; nothing is parked then. */
  park(operation: DelayedOperation, watches: readonly Watch[]): void {
    if (operation.delayMs !== Number.POSITIVE_INFINITY) this.#timer.add(operation);
    operation.$keeper = this;
    try {
      this.watchers.park(operation, watches);
    } catch (error) {
      this.leave(operation);
      throw error;
    }
  }

  keeps(operation: DelayedOperation): boolean {
    return operation.$keeper === this;
  }

  leave(operation: DelayedOperation): void {
    operation.$keeper = undefined;
    this.watchers.leave(operation);
    if (operation.delayMs !== Number.POSITIVE_INFINITY) this.#timer.remove(operation);
  }

  /** For `cancel()`, and for a shared timer that is closed: the one way in which a waiter can meet this. */
  remove(operation: DelayedOperation): boolean {
    this.leave(operation);
    if (!(operation instanceof Waiter)) return true;
    operation.refuse(new PurgatoryError('ERR_PURGATORY_CLOSED', 'The timer of the purgatory was closed'));
    return false;
  }

  /** Takes a parked operation out, unanswered: a waiter is refused with `why`, any other goes to `ops`. */
  takeOut(operation: DelayedOperation, ops: DelayedOperation[], why: () => PurgatoryError): void {
    this.leave(operation);
    if (operation instanceof Waiter) operation.refuse(why());
    else ops.push(operation);
  }

  expire(operation: DelayedOperation): void {
    for (const error of expire(operation)) this.report(error, operation);
  }

  report(error: unknown, operation: DelayedOperation): void {
    if (this.#onError === undefined) {
      throwLater(error);
      return;
    }
    try {
      this.#onError(error, operation);
    } catch (thrown) {
      throwLater(thrown);
    }
  }
}
