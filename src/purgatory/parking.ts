// Where parked operations are kept: the watch lists and the timer, entered and left together.
//
// Ground rules. It is the keeper (timer-protocol.ts) of every operation that its purgatory has parked, and the only place where one
// enters or leaves. An operation is either on all its watch lists and, with a deadline, in the timer, or in none of them. It
// handles what user code throws where no caller of the user's could: inside a pass and in an expiry.
import { PurgatoryError } from '../errors.ts';
import { reportError } from '../report-error.ts';
import { type SystemTimer, withShortWay } from '../timer/system-timer.ts';
import type { Timer } from '../timer/timer.ts';
import { NOT_HELD, type TaskKeeper } from '../timer/timer-protocol.ts';
import {
  COMPLETED,
  type DelayedOperation,
  expire,
  NOT_PARKED,
  type OperationKeeper,
} from './delayed-operation.ts';
import type { Named } from './operation-events.ts';
import { PurgatoryMeter } from './purgatory-meter.ts';
import { Waiter } from './wait-for.ts';

/** The lists of who waits for what: of a key alone, or of a key and more. They keep `$place` of what they hold. */
export interface ParkedLists<Watch> {
  /** Parks an operation that is parked nowhere and sets its `$place`, as soon as `leave` can take it off; keeps `stamp`, an int32, for it. */
  park(operation: DelayedOperation, watches: readonly Watch[], stamp: number): void;
  /** Takes the operation that is parked at `place` off every list; returns its stamp. Its `$place` is the caller's to set. */
  leave(operation: DelayedOperation, place: number): number;
  /** Gives memory back after operations have left. */
  shrink(): void;
}

export class Parking<Watch, Lists extends ParkedLists<Watch>> implements TaskKeeper, OperationKeeper {
  readonly watchers: Lists;
  readonly meter: PurgatoryMeter;
  readonly #timer: Timer;
  /** The timer, if it has the short way in and out. */
  readonly #systemTimer: SystemTimer | undefined;
  readonly #onError: ((error: unknown, operation: DelayedOperation) => void) | undefined;

  /** Passes under way: loops in which many operations may leave. */
  #passes = 0;
  /** The operation whose deadline has come: completing it means expiring it. */
  #expiring: DelayedOperation | undefined;

  constructor(
    purgatory: Named,
    timer: Timer,
    watchers: Lists,
    onError: ((error: unknown, operation: DelayedOperation) => void) | undefined,
  ) {
    this.#timer = timer;
    this.#systemTimer = withShortWay(timer);
    this.watchers = watchers;
    this.meter = new PurgatoryMeter(purgatory, timer);
    this.#onError = onError;
  }

  /** Parks an operation that is parked and pending nowhere. @throws what the timer's `add` throws; nothing is parked then. */
  park(operation: DelayedOperation, watches: readonly Watch[]): void {
    const delayMs = operation.delayMs;
    const systemTimer = this.#systemTimer;
    if (systemTimer !== undefined && delayMs !== Number.POSITIVE_INFINITY) {
      systemTimer.addFor(this, operation, delayMs);
    } else {
      if (delayMs !== Number.POSITIVE_INFINITY) this.#timer.add(operation);
      operation.$keeper = this;
    }
    try {
      this.watchers.park(operation, watches, this.meter.stamp(delayMs));
    } catch (error) {
      this.#leave(operation, operation.$place, NOT_PARKED);
      throw error;
    }
    this.meter.didPark(operation, watches);
  }

  /**
   * Many operations may leave until `endPass`, which is to be given what this returns: then memory is given back once, for what is left,
   * and not again and again on the way.
   */
  beginPass(): number {
    return this.#passes++;
  }

  /** @param outer the passes around this one. They are not counted down: where a chain of events has overflowed the stack, inner passes have no end. */
  endPass(outer: number): void {
    this.#passes = outer;
    if (outer === 0) this.#settle();
  }

  keeps(operation: DelayedOperation): boolean {
    return operation.$keeper === this;
  }

  complete(operation: DelayedOperation, place: number): void {
    const stamp = this.#leave(operation, place, COMPLETED);
    if (operation === this.#expiring) this.meter.didExpire(operation, stamp);
    else this.meter.didComplete(operation, stamp);
  }

  withdraw(operation: DelayedOperation): void {
    const stamp = this.#leave(operation, operation.$place, NOT_PARKED);
    this.meter.didCancel(operation, stamp);
  }

  /** For `cancel()`, and for a shared timer that is closed: the one way in which a waiter can meet this. */
  remove(operation: DelayedOperation): boolean {
    this.withdraw(operation);
    if (!(operation instanceof Waiter)) return true;
    operation.refuse(new PurgatoryError('ERR_PURGATORY_CLOSED', 'The timer of the purgatory was closed'));
    return false;
  }

  /** Takes out, unanswered, each parked operation that `next` gives; returns them, but for waiters, which are refused with `why`. */
  takeOut(next: () => DelayedOperation | undefined, why: () => PurgatoryError): DelayedOperation[] {
    const operations: DelayedOperation[] = [];
    const outer = this.beginPass();
    try {
      for (let operation = next(); operation !== undefined; operation = next()) {
        this.withdraw(operation);
        if (operation instanceof Waiter) operation.refuse(why());
        else operations.push(operation);
      }
    } finally {
      this.endPass(outer);
    }
    return operations;
  }

  expire(operation: DelayedOperation): void {
    this.#expiring = operation;
    const errors = expire(operation);
    this.#expiring = undefined;
    for (const error of errors) this.report(error, operation);
  }

  /** Tries a parked operation for an event; whether that completed it. What it throws is reported, and the pass goes on. */
  tries(operation: DelayedOperation): boolean {
    try {
      return operation.tryComplete();
    } catch (error) {
      return this.failed(error, operation);
    }
  }

  /** Reports what the try of a parked operation threw; whether the try had completed it. */
  failed(error: unknown, operation: DelayedOperation): boolean {
    const { isCompleted } = operation;
    this.report(error, operation);
    return isCompleted;
  }

  report(error: unknown, operation: DelayedOperation): void {
    this.meter.didThrow(operation, error);
    reportError(error, operation, this.#onError);
  }

  /** Takes `operation` off the lists and the timer and leaves it in the state `left`. Returns its stamp. */
  #leave(operation: DelayedOperation, place: number, left: typeof COMPLETED | typeof NOT_PARKED): number {
    // Where parking itself has failed, the lists may not have it.
    const stamp = place === NOT_PARKED ? 0 : this.watchers.leave(operation, place);
    operation.$keeper = undefined;
    operation.$place = left;
    const systemTimer = this.#systemTimer;
    if (systemTimer !== undefined) {
      const slot = operation.$slot;
      if (slot !== NOT_HELD) systemTimer.release(operation, slot);
    } else {
      this.#timer.remove(operation); // whatever `delayMs` says: it may have changed since
    }
    if (this.#passes === 0) this.#settle();
    return stamp;
  }

  #settle(): void {
    this.watchers.shrink();
    this.#systemTimer?.settle();
  }
}
