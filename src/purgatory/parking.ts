// The one place where operations enter a purgatory and leave it, its lists and its timer together:
// tried and parked, completed, expired, cancelled, or taken out by `close`.
//
// Invariants. A Parking belongs to one purgatory, and is the keeper (timer-task.ts) of every
// operation that is parked there. Such an operation is on all its lists and, with a deadline, in
// the timer. Each way out has a method of its own. Memory is given back in a turn of its own, so
// what runs within a call may hold places.
//
// Costs. park, and each way out: O(watches of the operation).
import { debug, debugOnce, isDebugging } from '../base/debug.ts';
import {
  operationPending,
  PurgatoryError,
  purgatoryClosed,
  purgatoryFull,
  timerOfPurgatoryClosed,
} from '../base/errors.ts';
import { Refusal } from '../base/refusal.ts';
import { reportError } from '../base/report-error.ts';
import { cut, keyText } from '../base/text.ts';
import type { Timer } from '../timer/timer.ts';
import { NOT_HELD, type TaskKeeper } from '../timer/timer-task.ts';
import type { Job } from '../turns/job.ts';
import { type Scheduler, schedulerOf } from '../turns/scheduler.ts';
import { Settler } from '../turns/settler.ts';
import {
  COMPLETED,
  type DelayedOperation,
  expireUnparked,
  NOT_PARKED,
  type OperationKeeper,
  tryOnce,
} from './delayed-operation.ts';
import { KeyHints } from './key-hints.ts';
import type { ParkedLists } from './parked-lists.ts';
import { PromisedOperation } from './promised-operation.ts';
import type { CheckedPurgatoryOptions } from './purgatory-options.ts';
import { PurgatoryMeter } from './telemetry/purgatory-meter.ts';
import type { EventsSnapshot } from './telemetry/purgatory-snapshot.ts';
import { NO_EVENT, TriesUnderWay } from './tries-under-way.ts';

const COMPLETED_ALREADY =
  'purgatory "%s": a %s that is completed already is not parked. Each wait takes a new one';

/** Events that have yet to be served. */
export interface PendingEvents {
  /**
   * The deadline of `operation` has come: true iff it is to expire. While an event on one of its
   * keys is pending or under way, it is tried first: the event came in time. That try is user code,
   * which may take it out.
   */
  isStillDue(operation: DelayedOperation): boolean;
  /** For the snapshot of the purgatory. */
  snapshot(nowMs: number): EventsSnapshot;
}

export class Parking<Watch, Lists extends ParkedLists<Watch> = ParkedLists<Watch>>
  implements TaskKeeper, OperationKeeper
{
  readonly name: string;
  readonly maxParked: number;
  readonly lists: Lists;
  readonly meter: PurgatoryMeter;
  /** Runs its events, and settles its promises. */
  readonly scheduler: Scheduler;
  /** Where the promises of waits settle. */
  readonly settler: Settler;
  readonly timer: Timer;
  readonly hints: KeyHints;
  readonly #options: CheckedPurgatoryOptions;
  /** Written here alone. */
  isClosed = false;
  /** The events and other tries that are under way in this call. */
  readonly underWay: TriesUnderWay = new TriesUnderWay();
  /** Counts those that leave. Wraps round. */
  #left = 0;
  /** The count when memory, and the wake-up of an empty timer, were last looked at. */
  #settledLeft = 0;
  readonly #compaction: Job;
  /** The events that have yet to be served, in a purgatory that has such. */
  events: PendingEvents | undefined;

  constructor(options: CheckedPurgatoryOptions, lists: Lists) {
    const { name, timer, maxParked, sliceMs } = options;
    this.name = name;
    this.maxParked = maxParked;
    this.lists = lists;
    this.meter = new PurgatoryMeter(timer);
    this.timer = timer;
    this.hints = new KeyHints(this, lists);
    this.scheduler = schedulerOf(timer);
    this.#compaction = this.scheduler.job({ sliceMs, step: () => this.#compact() });
    this.settler = new Settler(this.scheduler, sliceMs);
    this.#options = options;
  }

  /**
   * Tries `operation`, parks it, and tries it again: its condition may have come true in between.
   * True iff one of these tries completed it. (Kafka's safeTryCompleteElseWatch.)
   *
   * A wait whose first try is still under way has its second try when that has ended. But if the
   * first try itself caused an event, the second try is made now, and leaves a note.
   *
   * @throws as {@link tryElsePark}; what the second try throws, too, and nothing is parked then.
   */
  tryElseWatch(operation: DelayedOperation, watches: readonly Watch[]): boolean {
    const { events } = this.underWay;
    const isCompleted = this.tryElsePark(operation, watches);
    if (isCompleted !== undefined) return isCompleted;
    if (operation instanceof PromisedOperation && operation.isUnderWay && this.underWay.events === events) {
      return false;
    }
    const { keys } = this.underWay;
    const isNested = keys.length > 0;
    if (isNested) keys.push(NO_EVENT);
    try {
      if (this.meter.hasTryListener) this.meter.willTry(operation, undefined);
      return tryOnce(operation);
    } catch (error) {
      if (this.keeps(operation)) this.reject(operation, error);
      throw error;
    } finally {
      if (isNested) keys.pop();
    }
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
    if (!this.#admits(operation)) return false;
    if (isReady) {
      if (tryOnce(operation)) return true;
      // The try was user code: it may have closed the purgatory, or completed or parked the
      // operation elsewhere.
      if (operation.$place === COMPLETED || !this.#admits(operation)) return false;
    }
    this.park(operation, watches);
    return undefined;
  }

  /** False for an operation that is completed. */
  #admits(operation: DelayedOperation): boolean {
    const isFree = operation.$place === NOT_PARKED && operation.$keeper === undefined;
    return (isFree && !this.isClosed) || this.#refuses(operation);
  }

  #refuses(operation: DelayedOperation): false {
    if (this.isClosed) throw this.refused(purgatoryClosed(this.name));
    const type = operation.constructor.name;
    if (operation.$place !== COMPLETED) {
      const keeper = operation.$place >= 0 ? (operation.$keeper as unknown as OperationKeeper) : undefined;
      throw this.refused(operationPending(type, keeper?.name));
    }
    if (isDebugging) debugOnce(this, 'completed', COMPLETED_ALREADY, this.name, type);
    return false;
  }

  /**
   * Parks an operation that is parked and pending nowhere.
   *
   * @throws PurgatoryError ERR_PURGATORY_FULL, and what the timer's `add` throws; nothing is parked
   *   then.
   */
  park(operation: DelayedOperation, watches: readonly Watch[]): void {
    const { lists, meter } = this;
    if (lists.size >= this.maxParked) this.checkRoom(operation.delayMs);
    const { delayMs } = operation;
    try {
      operation.$place = NOT_PARKED; // of a frozen one nothing has changed when this throws
      if (delayMs !== Number.POSITIVE_INFINITY) this.timer.add(operation);
      operation.$keeper = this;
      lists.park(operation, watches, meter.stamp(delayMs));
    } catch (error) {
      throw this.#undo(operation, error);
    }
    meter.didPark(operation, watches);
  }

  /** Takes out an operation that was parked in part. Returns the error. */
  #undo(operation: DelayedOperation, error: unknown): unknown {
    if (operation.$keeper === this) this.#leave(operation, NOT_PARKED);
    return this.#refusedByTimer(error);
  }

  /**
   * Counts a refusal. A timer does not know its purgatories, so the error of a closed one names
   * ours.
   */
  #refusedByTimer(error: unknown): unknown {
    const isClosed = error instanceof PurgatoryError && error.code === 'ERR_PURGATORY_CLOSED';
    return this.refused(isClosed ? timerOfPurgatoryClosed(this.name) : error);
  }

  /**
   * For a wait of `delayMs`, before its first try.
   *
   * @throws PurgatoryError if the purgatory or its timer is full.
   */
  checkRoom(delayMs: number): void {
    const { lists, timer, maxParked } = this;
    if (lists.size >= maxParked) throw this.refused(purgatoryFull(this.name, maxParked));
    if (delayMs === Number.POSITIVE_INFINITY) return;
    try {
      timer.checkRoom();
    } catch (error) {
      throw this.#refusedByTimer(error);
    }
  }

  /** Counts a refusal. Returns its error. */
  refused<E>(error: E): E {
    if (error instanceof PurgatoryError) this.meter.didRefuse(error.code);
    return error;
  }

  keeps(operation: DelayedOperation): boolean {
    return operation.$keeper === this;
  }

  /** Tries for an event on `key`, or for none (NO_EVENT), begin. `endEvent` must follow. */
  beginEvent(key: unknown): void {
    this.underWay.keys.push(key);
  }

  endEvent(): void {
    const { keys } = this.underWay;
    keys.pop();
    if (keys.length === 0 && this.#left !== this.#settledLeft) this.#settle();
  }

  /**
   * Tries a parked operation for the innermost event, whose key is `key`, if there is one. True iff
   * that completed it, also if `tryComplete` called `forceComplete` and then returned false or
   * threw. What it throws is reported.
   */
  tries(operation: DelayedOperation, key: unknown): boolean {
    const left = this.#left;
    let isCompleted = false;
    try {
      if (tryOnce(operation, key)) return true;
      // The counter is compared first: in most tries none leaves, so the operation need not be
      // read.
      if (left === this.#left || operation instanceof PromisedOperation) return false;
      isCompleted = operation.isCompleted;
    } catch (error) {
      isCompleted = operation.isCompleted;
      this.report(error, operation, key);
    }
    return isCompleted;
  }

  /** As {@link tries}, for an event on `key` that tries it alone, or for none (NO_EVENT). */
  triesFor(operation: DelayedOperation, key: unknown): boolean {
    this.beginEvent(key);
    try {
      const { meter } = this;
      const eventKey = key === NO_EVENT ? undefined : key;
      if (meter.hasTryListener) meter.willTry(operation, eventKey);
      return this.tries(operation, eventKey);
    } finally {
      this.endEvent();
    }
  }

  /**
   * Whether the timer has taken it for its deadline, and it is parked still. It may have been taken
   * out and parked again: then it has another deadline.
   */
  isExpiring(operation: DelayedOperation): boolean {
    return operation.$keeper === this && operation.$slot === NOT_HELD;
  }

  tryAgain(operation: DelayedOperation): void {
    this.triesFor(operation, NO_EVENT);
  }

  get eventKey(): unknown {
    return this.underWay.key;
  }

  didBeginPromise(): void {
    this.underWay.hasPromises = true;
  }

  complete(operation: DelayedOperation): void {
    const stamp = this.#leave(operation, COMPLETED);
    this.meter.didEnd('completed', operation, stamp);
  }

  expire(operation: DelayedOperation): void {
    const { lists } = this;
    if (lists.serveHint !== undefined) {
      for (const key of lists.keysOf(operation, Number.POSITIVE_INFINITY)) lists.serveHint(key as string);
      if (!this.keeps(operation)) return;
    }
    if (this.events?.isStillDue(operation) === false) return;
    const stamp = this.#leave(operation, NOT_PARKED);
    this.meter.didEnd('expired', operation, stamp);
    if (operation instanceof PromisedOperation) operation.end(operation.expiry(), this.settler);
    else for (const error of expireUnparked(operation)) this.report(error, operation);
  }

  withdraw(operation: DelayedOperation): void {
    const stamp = this.#leave(operation, NOT_PARKED);
    this.meter.didEnd('cancelled', operation, stamp);
  }

  reject(operation: DelayedOperation, error: unknown): void {
    const { meter, lists } = this;
    const isHeard = meter.hasRejectionListener;
    const key = isHeard ? (this.eventKey ?? lists.keysOf(operation, 1)[0]) : undefined;
    meter.didEnd('rejected', operation, this.#leave(operation, NOT_PARKED), { error, key });
  }

  /**
   * For `cancel()`, and for a timer that is closed directly. Only the latter happens to a wait.
   */
  remove(operation: DelayedOperation): boolean {
    this.withdraw(operation);
    if (!(operation instanceof PromisedOperation)) return true;
    operation.end(new Refusal(timerOfPurgatoryClosed(this.name)), this.settler);
    return false;
  }

  /**
   * Takes out `operations` without an answer, and returns them. Waits are not returned: they are
   * refused with the error that `why` makes of the first wait, before that wait leaves.
   */
  takeOut(
    operations: readonly DelayedOperation[],
    why: (first: PromisedOperation) => PurgatoryError,
  ): DelayedOperation[] {
    const taken: DelayedOperation[] = [];
    // One error for all: a hundred thousand stacks were a quarter of the time of a close.
    let refusal: Refusal | undefined;
    this.beginEvent(NO_EVENT);
    for (const operation of operations) {
      if (!this.keeps(operation)) continue; // the abort of another wait has taken it out
      const wait = operation instanceof PromisedOperation ? operation : undefined;
      if (wait === undefined) taken.push(operation);
      if (wait !== undefined) refusal ??= new Refusal(why(wait));
      this.withdraw(operation);
      wait?.end(refusal as Refusal, this.settler);
    }
    this.endEvent();
    return taken;
  }

  /**
   * Ends it for good, and its timer unless that is shared; takes out all that is parked, as {@link
   * takeOut}.
   *
   * @param why gets a text that says what the close has ended: the user may have forgotten to await
   * it.
   */
  close(why = (ended: string): PurgatoryError => purgatoryClosed(this.name, ended)): DelayedOperation[] {
    this.isClosed = true;
    const all = this.lists.oldestFirst(Number.POSITIVE_INFINITY);
    const parked = this.takeOut(all, (first) => why(this.#endedText(all.length, first)));
    if (this.#options.ownsTimer) this.timer.close();
    debug('purgatory "%s" closed with %d parked', this.name, all.length);
    return parked;
  }

  #endedText(parked: number, first: PromisedOperation): string {
    const label = first.label === undefined ? '' : ` "${cut(first.label)}"`;
    const [key] = this.lists.keysOf(first, 1);
    return `Parked when it was closed: ${parked}, such as the wait${label} on "${keyText(key)}"`;
  }

  /** @param key that of the event, if one caused it. */
  report(error: unknown, operation: DelayedOperation, key?: unknown): void {
    this.meter.didThrow(operation, error, key);
    reportError(error, operation, this.#options.onError);
  }

  /**
   * Takes `operation` off the lists and the timer, and leaves it in the state `state`. Returns its
   * stamp.
   */
  #leave(operation: DelayedOperation, state: typeof COMPLETED | typeof NOT_PARKED): number {
    this.#left = (this.#left + 1) | 0;
    const stamp = this.lists.leave(operation);
    const slot = operation.$slot;
    if (slot !== NOT_HELD) this.timer.release(operation, slot);
    operation.$keeper = undefined;
    operation.$place = state;
    if (this.underWay.keys.length === 0) this.#settle();
    return stamp;
  }

  /** After operations have left, outside of events. */
  #settle(): void {
    this.#settledLeft = this.#left;
    this.timer.trim();
    if (this.lists.isSparse) this.#compaction.wakeNextTurn();
  }

  #compact(): boolean {
    if (this.lists.isSparse) this.lists.compact();
    return false;
  }
}
