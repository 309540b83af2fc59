// The one place where operations enter a purgatory and leave it, its lists and its timer together:
// tried and parked, completed, expired, cancelled, or taken out by `close`, with the cause it names.
//
// Ground rules. A Parking belongs to one purgatory, and is the keeper (timer-protocol.ts) of every
// operation that is parked there. An operation is either on all its lists and, with a deadline, in
// the timer, or in none of them. Each way out is a method of its own, so nobody has to find out
// afterwards why an operation left. It handles what user code throws where no caller of the user's
// could: inside a pass, and in an expiry.
//
// An operation comes in by `tryElseWatch`, which is the protocol: try, watch, try again. Where no
// condition can come true between the try and the parking, `tryElsePark` will do, and `park` alone
// where there is nothing to try.
//
// Costs. park, and each way out: O(watches of the operation), for watch lists.
import { debug } from '../base/debug.ts';
import { type PurgatoryError, purgatoryClosed, timerOfPurgatoryClosed } from '../base/errors.ts';
import { Refusal } from '../base/refusal.ts';
import { reportError } from '../base/report-error.ts';
import { cut, keyText } from '../base/text.ts';
import { releasing, type SystemTimer } from '../timer/system-timer.ts';
import type { Timer } from '../timer/timer.ts';
import { NOT_HELD, type TaskKeeper } from '../timer/timer-protocol.ts';
import { Settlements } from '../turns/settlements.ts';
import { type TurnSlice, turnSliceOf } from '../turns/turn-slice.ts';
import { Admission, checkWritable } from './admission.ts';
import { Bulks } from './bulks.ts';
import {
  COMPLETED,
  type DelayedOperation,
  expireUnparked,
  NOT_PARKED,
  type OperationKeeper,
  tryOnce,
} from './delayed-operation.ts';
import { EventsInTime } from './events-in-time.ts';
import { KeyHints } from './key-hints.ts';
import type { NextToLeave, ParkedLists } from './parked-lists.ts';
import { PromisedOperation } from './promised-operation.ts';
import type { CheckedPurgatoryOptions } from './purgatory-options.ts';
import { PurgatoryMeter } from './telemetry/purgatory-meter.ts';

export class Parking<Watch, Lists extends ParkedLists<Watch> = ParkedLists<Watch>>
  implements TaskKeeper, OperationKeeper
{
  readonly name: string;
  readonly lists: Lists;
  readonly meter: PurgatoryMeter;
  readonly bulks: Bulks;
  /** How long events and settlements may take in a turn. */
  readonly slice: TurnSlice;
  /** Where the promises of waiters settle. */
  readonly settlements: Settlements;
  readonly timer: Timer;
  readonly admission: Admission;
  readonly hints: KeyHints;
  /** The timer, if it can release operations and give memory back at the end of a bulk. */
  readonly #releasing: SystemTimer | undefined;
  readonly #options: CheckedPurgatoryOptions;
  /** Counts the events, to see one that comes in the middle of a first try. */
  eventCount = 0;
  /** An attempt has returned a promise since this was set to false. */
  hasPromises = false;
  /** The events that are to be answered, for a deadline that comes meanwhile. */
  readonly inTime: EventsInTime = new EventsInTime(this);
  /**
   * The key of the event whose tries are under way, for waiters that ask. Undefined outside of
   * events, and for tries of another cause.
   */
  eventKey: unknown;

  constructor(options: CheckedPurgatoryOptions, lists: Lists) {
    const { name, timer, maxParked } = options;
    this.name = name;
    this.lists = lists;
    this.meter = new PurgatoryMeter(timer);
    this.timer = timer;
    this.admission = new Admission(name, maxParked, lists, this.meter);
    this.hints = new KeyHints(name, this.admission, lists);
    this.#releasing = releasing(timer);
    this.slice = turnSliceOf(timer);
    this.bulks = new Bulks(lists, this.#releasing, this.slice);
    this.settlements = new Settlements(this.slice, options.sliceMs);
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.admission.isClosed;
  }

  /**
   * Tries `operation`, parks it, and tries it again: its condition may have come true in between.
   * True iff one of these tries completed it. (Kafka's safeTryCompleteElseWatch.)
   *
   * A waiter whose first attempt is still under way has its second try when that has ended. But an
   * event that this attempt itself caused must be told to it.
   *
   * @throws as {@link tryElsePark}; what the second try throws, too, and nothing is parked then.
   */
  tryElseWatch(operation: DelayedOperation, watches: readonly Watch[]): boolean {
    const events = this.eventCount;
    const isCompleted = this.tryElsePark(operation, watches);
    if (isCompleted !== undefined) return isCompleted;
    const isUnderWay = operation instanceof PromisedOperation && operation.isUnderWay;
    return (!isUnderWay || this.eventCount !== events) && this.#tryParked(operation);
  }

  /** The second try. No event causes it, though it may be made inside of one. */
  #tryParked(operation: DelayedOperation): boolean {
    const outer = this.eventKey;
    this.eventKey = undefined;
    try {
      return this.#tryTold(operation, undefined);
    } catch (error) {
      if (this.keeps(operation)) this.reject(operation, error);
      throw error;
    } finally {
      this.eventKey = outer;
    }
  }

  #tryTold(operation: DelayedOperation, key: unknown): boolean {
    if (this.meter.tellsTries) this.meter.willTry(operation, key);
    return tryOnce(operation);
  }

  /**
   * Tries `operation` if `isReady`. Returns true if that try completed it, and false if it was
   * completed otherwise. Else parks it, and returns undefined.
   *
   * @throws what the try throws; then nothing is parked.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED; _ALREADY_WATCHED: it is parked; _ALREADY_PENDING:
   *   it is in a timer; and as {@link park}.
   */
  tryElsePark(operation: DelayedOperation, watches: readonly Watch[], isReady = true): boolean | undefined {
    if (!this.admission.admits(operation)) return false;
    if (isReady) {
      if (tryOnce(operation)) return true;
      // The try was user code: it may have closed the purgatory, or completed or parked the
      // operation elsewhere.
      if (operation.isCompleted || !this.admission.admits(operation)) return false;
    }
    this.park(operation, watches);
    return undefined;
  }

  /**
   * Parks an operation that is parked and pending nowhere.
   *
   * @throws PurgatoryError ERR_PURGATORY_FULL, and what the timer's `add` throws; nothing is parked
   *   then.
   */
  park(operation: DelayedOperation, watches: readonly Watch[]): void {
    const { lists } = this;
    checkWritable(operation);
    this.admission.checkRoom();
    const delayMs = operation.delayMs;
    if (delayMs !== Number.POSITIVE_INFINITY) this.#addToTimer(operation);
    operation.$keeper = this;
    try {
      lists.park(operation, watches, this.meter.stamp(delayMs));
    } catch (error) {
      this.#leave(operation, NOT_PARKED);
      throw error;
    }
    this.meter.didPark(operation, watches);
  }

  #addToTimer(operation: DelayedOperation): void {
    try {
      this.timer.add(operation);
    } catch (error) {
      throw this.admission.refused(error);
    }
  }

  keeps(operation: DelayedOperation): boolean {
    return operation.$keeper === this;
  }

  /**
   * Tries a parked operation for the event on `eventKey`. True iff that completed it, also if
   * `tryComplete` called `forceComplete` and then returned false or threw. What it throws is
   * reported.
   */
  tries(operation: DelayedOperation): boolean {
    const { bulks } = this;
    const left = bulks.left;
    let isCompleted = false;
    try {
      if (tryOnce(operation)) return true;
      // The counter is compared first: in most tries nobody leaves, so the operation need not be
      // read.
      if (left === bulks.left || operation instanceof PromisedOperation) return false;
      isCompleted = operation.isCompleted;
    } catch (error) {
      isCompleted = operation.isCompleted;
      this.report(error, operation, this.eventKey);
    }
    return isCompleted;
  }

  /** As {@link tries}, by itself: sets `eventKey` for it, to undefined where no event causes it. */
  tryAgain(operation: DelayedOperation, key?: unknown): boolean {
    const outer = this.eventKey;
    this.eventKey = key;
    try {
      if (this.meter.tellsTries) this.meter.willTry(operation, key);
      return this.tries(operation);
    } finally {
      this.eventKey = outer;
    }
  }

  didBeginPromise(): void {
    this.hasPromises = true;
  }

  complete(operation: DelayedOperation): boolean {
    const stamp = this.#leave(operation, COMPLETED);
    this.meter.didEnd('completed', operation, stamp);
    return true;
  }

  expire(operation: DelayedOperation): void {
    if (!this.inTime.isStillDue(operation)) return;
    let stamp: number;
    try {
      stamp = this.#leave(operation, NOT_PARKED);
    } catch (error) {
      this.#reportFrozen(error, operation);
      return;
    }
    this.meter.didEnd('expired', operation, stamp);
    if (operation instanceof PromisedOperation) operation.end(operation.expiry(), this.settlements);
    else for (const error of expireUnparked(operation)) this.report(error, operation);
  }

  withdraw(operation: DelayedOperation): void {
    const stamp = this.#leave(operation, NOT_PARKED);
    this.meter.didEnd('cancelled', operation, stamp);
  }

  reject(operation: DelayedOperation, error: unknown): void {
    const { meter, lists } = this;
    const key = meter.tellsRejections ? (this.eventKey ?? lists.keysOf(operation, 1)[0]) : undefined;
    meter.didReject(operation, this.#leave(operation, NOT_PARKED), error, key);
  }

  /**
   * For `cancel()`, and for a timer that is closed by itself: a waiter can meet only that.
   */
  remove(operation: DelayedOperation): boolean {
    this.withdraw(operation);
    if (!(operation instanceof PromisedOperation)) return true;
    operation.end(new Refusal(timerOfPurgatoryClosed(this.name)), this.settlements);
    return false;
  }

  /**
   * Takes out, unanswered, each operation that `next` gives; returns them, but for waiters, which
   * are refused with what `why` makes of the first of them, before that leaves.
   */
  takeOut(next: NextToLeave, why: (first: PromisedOperation) => PurgatoryError): DelayedOperation[] {
    const operations: DelayedOperation[] = [];
    // One error for all: a hundred thousand stacks were a quarter of the time of a close.
    let refusal: Refusal | undefined;
    const outer = this.bulks.begin();
    try {
      for (let operation = next(); operation !== undefined; operation = next()) {
        const waiter = operation instanceof PromisedOperation ? operation : undefined;
        if (waiter === undefined) operations.push(operation);
        try {
          if (waiter !== undefined) refusal ??= new Refusal(why(waiter));
          this.withdraw(operation);
          waiter?.end(refusal as Refusal, this.settlements);
        } catch (error) {
          this.#reportFrozen(error, operation);
        }
      }
    } finally {
      this.bulks.end(outer);
    }
    return operations;
  }

  /**
   * Ends it for good, and its timer unless that is shared; takes out all that is parked, as {@link
   * takeOut}.
   *
   * @param why gets what the close has ended, in words: somebody may have forgotten to await it.
   */
  close(why = (ended: string): PurgatoryError => purgatoryClosed(this.name, ended)): DelayedOperation[] {
    this.admission.close();
    const { size } = this.lists;
    const parked = this.takeOut(this.lists.all(), (first) => why(this.#endedText(size, first)));
    if (this.#options.ownsTimer) this.timer.close();
    debug('purgatory "%s" closed with %d operations parked', this.name, parked.length);
    return parked;
  }

  #endedText(parked: number, first: PromisedOperation): string {
    const label = first.label === undefined ? '' : ` "${cut(first.label)}"`;
    const [key] = this.lists.keysOf(first, 1);
    return `Parked when it was closed: ${parked}, such as the wait${label} on "${keyText(key)}"`;
  }

  /** For an end that must go on: reports the TypeError of one that has left frozen. */
  #reportFrozen(error: unknown, operation: DelayedOperation): void {
    if (!Object.isFrozen(operation)) throw error;
    this.report(error, operation);
  }

  /** @param key that of the event, if one caused it. */
  report(error: unknown, operation: DelayedOperation, key?: unknown): void {
    this.meter.didThrow(operation, error, key);
    reportError(error, operation, this.#options.onError);
  }

  /**
   * Takes `operation` off the lists and the timer, and leaves it in the state `left`. Returns its
   * stamp.
   *
   * @throws TypeError for one that was frozen while it was parked: it has left, unanswered, but
   *   its fields are as they were. A timer from outside keeps it until its deadline.
   */
  #leave(operation: DelayedOperation, left: typeof COMPLETED | typeof NOT_PARKED): number {
    // The stack may overflow in any of these steps. Then the operation can be taken out again: a
    // second call does nothing for the steps that are done.
    this.bulks.left = (this.bulks.left + 1) | 0;
    this.inTime.didLeave(operation);
    const { lists } = this;
    const parked = lists.size;
    const stamp = lists.leave(operation);
    const timer = this.#releasing;
    if (timer !== undefined) {
      const slot = operation.$slot;
      if (slot !== NOT_HELD) timer.release(operation, slot);
    }
    try {
      operation.$keeper = undefined;
      if (timer === undefined) this.timer.remove(operation); // `delayMs` may have changed since
      operation.$place = left;
    } catch (error) {
      // A second end finds it gone, and neither counts nor refuses it again.
      if (lists.size < parked) {
        this.meter.didEnd('cancelled', operation, stamp);
        if (operation instanceof PromisedOperation) operation.end(new Refusal(error), this.settlements);
      }
      throw error;
    } finally {
      this.bulks.settle();
    }
    return stamp;
  }
}
