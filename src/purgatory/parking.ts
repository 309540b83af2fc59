// The one place where operations enter a purgatory and leave it: its lists and its timer.
//
//   word                     who says it, and what it is
//   cancel, remove           the user, or a timer that closes: unanswered. `remove` asks $takeOut
//   takeOut                  cancelForKey and close: `$takeOut` of many, with one error for waits
//   $takeOut                 what that is to each kind: an operation is returned, a wait rejected
//   leave                    what all have in common: off each list and the timer, in that call
//
// Invariants. A Parking belongs to one purgatory, and is the keeper (timer-task.ts) of every
// operation that is parked there. Such an operation is on all its lists and, with a deadline, in
// the timer. Memory is given back in a turn of its own, so what runs within a call may hold places.
// Costs. park, and each way out: O(watches of the operation).
import { throwIfAborted } from '../base/abort-listeners.ts';
import { debug, debugOnce, isDebugging } from '../base/debug.ts';
import { closed, countRefusal, full, PurgatoryError } from '../base/errors.ts';
import { allRead } from '../base/options.ts';
import { Rejection } from '../base/rejection.ts';
import { onRejection, reportError } from '../base/report-error.ts';
import { className, cut, keyText } from '../base/text.ts';
import type { BusLink } from '../bus/membership/bus-link.ts';
import { NONE } from '../slab/slab.ts';
import type { Timer } from '../timer/timer.ts';
import { ENDLESS } from '../timer/timer-task.ts';
import { compactionOf } from '../turns/compaction.ts';
import { type Job, type Scheduler, schedulerOf } from '../turns/scheduler.ts';
import { Settler } from '../turns/settler.ts';
import { takePromised } from './callback-results.ts';
import { COMPLETED, type DelayedOperation, type End, type Keeper } from './delayed-operation.ts';
import type { ParkedLists } from './parked-lists.ts';
import { checkedTry, NO_EVENT, reportedTry } from './passes.ts';
import type { ParkingParts } from './purgatory-options.ts';
import { PurgatoryMeter } from './telemetry/purgatory-meter.ts';
import type { EventsSnapshot } from './telemetry/purgatory-snapshot.ts';

/**
 * How long a deadline waits for a try that an event has begun, in ms: a read of something near, such
 * as a file, a cache or a row, settles by then, also where the process comes back from a stop and is
 * busy with all that has arrived. A count of turns would not do: they are empty where immediates are
 * pending.
 */
const HOLD_MS = 100;
const COMPLETED_ALREADY =
  'purgatory "%s": a %s that is completed already is not parked. Each wait takes a new one';

/** Events that have yet to be served. */
export interface PendingEvents {
  /**
   * The deadline of `operation` has come: true iff it is to expire. For each of its keys with an
   * event that is pending or under way, it is tried first: the event came in time. That is user
   * code, which may take it out.
   */
  isStillDue(operation: DelayedOperation): boolean;
  /** For the snapshot of the purgatory, where events are pending or under way for turns. */
  snapshot?(nowMs: number): EventsSnapshot;
}

export class Parking<Watch, Lists extends ParkedLists<Watch> = ParkedLists<Watch>> implements Keeper {
  readonly name: string;
  readonly maxParked: number;
  readonly lists: Lists;
  readonly meter: PurgatoryMeter;
  /** Runs its events, and settles its promises. */
  readonly scheduler: Scheduler;
  /** Where the promises of waits settle. */
  readonly settler: Settler;
  readonly timer: Timer;
  /** Its class and its name, for people. */
  readonly title: string;
  readonly #ownsTimer: boolean;
  readonly #onError: ParkingParts['onError'];
  /** Written here alone. */
  isClosed = false;
  /**
   * The key of each event that is under way in this call, or NO_EVENT, from the outermost in. An
   * event on one of them does not begin in it: so how deep events are nested is bounded by the keys.
   */
  readonly underWay: unknown[] = [];
  /** Counts the events, to see one that a try at parking causes. */
  eventsCaused = 0;
  /** Operations were removed, and nobody has looked since whether the timer and memory can rest. */
  #hasRemoved = false;
  readonly #compaction: Job;
  /** The events that have yet to be served, in a purgatory that has such. */
  events: PendingEvents | undefined;
  /** The way to the purgatories of this name in other processes, if there is a bus. */
  link: BusLink | undefined;

  constructor(parts: ParkingParts, lists: Lists) {
    const { title, name, timer, ownsTimer, maxParked, sliceMs, onError, ...unread } = parts;
    allRead(unread);
    this.title = title;
    this.name = name;
    this.maxParked = maxParked;
    this.lists = lists;
    this.meter = new PurgatoryMeter(timer);
    this.timer = timer;
    this.scheduler = schedulerOf(timer);
    this.#compaction = compactionOf(lists, this.scheduler, sliceMs);
    this.settler = new Settler(this.scheduler, sliceMs);
    this.#ownsTimer = ownsTimer;
    this.#onError = onError;
  }

  /**
   * Tries `operation`, and parks it if that does not complete it. True iff it is completed. Nothing
   * comes between the two but what that try itself does. Where it has caused an event, too early for
   * itself, it is tried once more. (Kafka tries twice in any case: another thread may come between.)
   *
   * @throws what the first try throws; then nothing is parked. As {@link parkUntried}.
   */
  tryElsePark(operation: DelayedOperation, watches: readonly Watch[]): boolean {
    if (!this.#admits(operation)) return false;
    const { eventsCaused } = this;
    try {
      if (checkedTry(operation)) return true;
    } finally {
      // It may also have completed it, and returned false or thrown.
      if (operation.$place === COMPLETED) this.#heedPromised(operation);
    }
    // The try was user code: it may have completed the operation, parked it elsewhere, or closed the
    // purgatory.
    if (operation.$place <= COMPLETED) return false;
    this.#admits(operation);
    this.park(operation, watches);
    return this.eventsCaused !== eventsCaused && this.keeps(operation) && this.tryParked(operation, NO_EVENT);
  }

  /**
   * Parks `operation`, unless it is over.
   *
   * @throws PurgatoryError ERR_PURGATORY_CLOSED; _ALREADY_WATCHED: it is parked; _ALREADY_PENDING:
   *   it is in a timer; and as {@link park}.
   */
  parkUntried(operation: DelayedOperation, watches: readonly Watch[]): void {
    if (this.#admits(operation)) this.park(operation, watches);
  }

  /** False for an operation that is over. */
  #admits(operation: DelayedOperation): boolean {
    const isFree = operation.$place === NONE && operation.$keeper === undefined;
    return (isFree && !this.isClosed) || this.#throwUnlessOver(operation);
  }

  /** Of an operation that is not admitted. */
  #throwUnlessOver(operation: DelayedOperation): false {
    if (this.isClosed) throw this.countRefusal(closed(this.title));
    const type = className(operation);
    if (operation.$place > COMPLETED) {
      const keeper = operation.$place >= 0 ? (operation.$keeper as Keeper) : undefined;
      throw this.countRefusal(alreadyPending(type, keeper));
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
    const { lists, meter, timer } = this;
    if (lists.size >= this.maxParked) this.checkRoom(operation.delayMs);
    const { delayMs } = operation;
    try {
      operation.$place = NONE; // of a frozen one nothing has changed when this throws
      let nowMs: number;
      if (delayMs === Number.POSITIVE_INFINITY) {
        timer.checkRoom(delayMs);
        nowMs = timer.now(); // before it is marked, as a clock may throw
        operation.$slot = ENDLESS;
      } else {
        timer.add(operation);
        nowMs = timer.lastReadingMs; // it has just read its clock
      }
      operation.$keeper = this;
      lists.park(operation, watches, nowMs | 0);
    } catch (error) {
      if (operation.$keeper === this) this.leave(operation); // it was parked in part
      throw this.#countTimerRefusal(error);
    }
    meter.didPark(operation, watches);
  }

  /**
   * Counts a refusal. A timer does not know its purgatories, so the error of a closed one names
   * ours.
   */
  #countTimerRefusal(error: unknown): unknown {
    const isClosed = error instanceof PurgatoryError && error.code === 'ERR_PURGATORY_CLOSED';
    return this.countRefusal(isClosed ? closed(`The timer of ${this.title}`) : error);
  }

  /**
   * For a wait of `delayMs`, before its try.
   *
   * @throws PurgatoryError if the purgatory or its timer is full, or the timer is closed.
   */
  checkRoom(delayMs: number): void {
    const { lists, timer, maxParked } = this;
    if (lists.size >= maxParked) throw this.countRefusal(full(this.title, 'maxParked', maxParked));
    try {
      timer.checkRoom(delayMs);
    } catch (error) {
      throw this.#countTimerRefusal(error);
    }
  }

  /** Counts a refusal. Returns its error. */
  countRefusal<E>(error: E): E {
    countRefusal(this.meter.refused, error);
    return error;
  }

  /**
   * For a wait, before anything of it begins.
   *
   * @throws PurgatoryError ERR_PURGATORY_CLOSED; the reason of a signal that has aborted.
   */
  checkOpen(signal?: AbortSignal): void {
    if (this.isClosed) throw this.countRefusal(closed(this.title));
    if (signal !== undefined) throwIfAborted(signal);
  }

  keeps(operation: DelayedOperation): boolean {
    return operation.$keeper === this;
  }

  get eventKey(): unknown {
    const key = this.underWay.at(-1);
    return key === NO_EVENT ? undefined : key;
  }

  /** The innermost event is over: the last of `underWay`. */
  endEvent(): void {
    this.underWay.pop();
    if (this.underWay.length === 0 && this.#hasRemoved) this.#afterRemoval();
  }

  /**
   * Tries a parked operation for an event on `key` that tries it alone, or for none (NO_EVENT). As
   * {@link reportedTry}.
   */
  tryParked(operation: DelayedOperation, key: unknown): boolean {
    this.underWay.push(key);
    try {
      const { meter } = this;
      const eventKey = key === NO_EVENT ? undefined : key;
      if (meter.hasTryListener && !meter.willTry(operation, eventKey, this)) return false;
      return reportedTry(operation, this, eventKey);
    } finally {
      this.endEvent();
    }
  }

  /**
   * Whether the timer has taken it for its deadline, and it is parked still. It may have been taken
   * out and parked again: then it has another deadline.
   */
  isExpiring(operation: DelayedOperation): boolean {
    return operation.$keeper === this && operation.$slot < 0;
  }

  expire(operation: DelayedOperation): void {
    if (this.link !== undefined) {
      this.link.serveHints(this.lists.keysOf(operation, Number.POSITIVE_INFINITY));
      if (!this.keeps(operation)) return;
    }
    if (this.events?.isStillDue(operation) === false) return;
    if (operation.$holdsDeadline()) this.timer.postpone(operation, HOLD_MS);
    else this.expireNow(operation);
  }

  /** As `expire`, whatever is pending or under way for it. */
  expireNow(operation: DelayedOperation): void {
    this.leave(operation, 'expired');
    for (const error of operation.$expire(this.settler)) this.report(error, operation);
    this.#heedPromised(operation);
  }

  /** What the callbacks of `operation` have returned is heard of if it rejects. */
  #heedPromised(operation: DelayedOperation): void {
    takePromised(operation)?.forEach((result) => {
      onRejection(result, (error) => this.report(error, operation));
    });
  }

  /** For `cancel()`, and for a timer that is closed directly. A listener may cancel a wait, too. */
  remove(operation: DelayedOperation): boolean {
    const why = (): PurgatoryError =>
      this.timer.isClosed ? closed(`The timer of ${this.title}`) : this.cancelled();
    return operation.$takeOut(() => new Rejection(why()));
  }

  cancelled(): PurgatoryError {
    return new PurgatoryError('ERR_PURGATORY_CANCELLED', `The wait was cancelled in ${this.title}`);
  }

  /**
   * Takes out `operations` without an answer, and returns them. Waits are not returned: they are
   * rejected with the error that `why` makes of the first wait, before that wait is removed.
   */
  takeOut(
    operations: readonly DelayedOperation[],
    why: (first: DelayedOperation) => PurgatoryError,
  ): DelayedOperation[] {
    // One error for all: a hundred thousand stacks were a quarter of the time of a close.
    let rejection: Rejection | undefined;
    const rejectionOf = (wait: DelayedOperation): Rejection => (rejection ??= new Rejection(why(wait)));
    this.underWay.push(NO_EVENT);
    // The abort of another wait may have taken it out.
    const taken = operations.filter((each) => this.keeps(each) && each.$takeOut(rejectionOf));
    this.endEvent();
    return taken;
  }

  /**
   * Ends it for good: leaves the bus, takes out all that is parked, as {@link takeOut}, and ends its
   * timer unless that is shared.
   */
  close(): DelayedOperation[] {
    this.isClosed = true;
    this.link?.leave();
    const all = this.lists.oldestFirst(Number.POSITIVE_INFINITY);
    const parked = this.takeOut(all, (first) => closed(this.title, this.#endedText(all.length, first)));
    if (this.#ownsTimer) this.timer.close();
    debug('purgatory "%s" closed with %d parked', this.name, all.length);
    return parked;
  }

  /** What a close has ended: the user may have forgotten to await it. */
  #endedText(parked: number, first: DelayedOperation): string {
    const label = first.$label === undefined ? '' : ` "${cut(first.$label)}"`;
    const [key] = this.lists.keysOf(first, 1);
    return `Parked when it was closed: ${parked}, such as the wait${label} on "${keyText(key)}"`;
  }

  /** @param key that of the event, if one caused it. */
  report(error: unknown, operation: DelayedOperation, key?: unknown): void {
    this.meter.didThrow(operation, error, key);
    reportError(error, operation, this.#onError);
  }

  /**
   * As {@link Keeper.leave}.
   *
   * @param how undefined for one that is parked in part: it is neither counted nor published.
   */
  leave(operation: DelayedOperation, how?: End, error?: unknown): void {
    const { lists, meter } = this;
    const key =
      how === 'rejected' && meter.isRejectionHeard
        ? (this.eventKey ?? lists.keysOf(operation, 1)[0])
        : undefined;
    this.#hasRemoved = true;
    const stamp = lists.remove(operation);
    const slot = operation.$slot;
    // By what was parked, and before a frozen operation refuses to be marked.
    if (how !== undefined && stamp !== undefined) meter.count(how, slot === ENDLESS);
    if (slot >= 0) this.timer.release(operation, slot);
    else operation.$slot = NONE;
    operation.$keeper = undefined;
    operation.$place = how === 'completed' ? COMPLETED : NONE;
    if (this.underWay.length === 0) this.#afterRemoval();
    if (how === undefined || stamp === undefined) return;
    meter.didEnd(how, operation, stamp, how === 'rejected' ? { error, key } : undefined);
  }

  /** After operations were removed, outside of events. */
  #afterRemoval(): void {
    this.#hasRemoved = false;
    this.timer.afterRemoval();
    this.giveMemoryBack();
  }

  /** Soon, if there is much. To be called where the lists have become smaller. */
  giveMemoryBack(): void {
    if (this.lists.isSparse) this.#compaction.wakeNextTurn();
  }
}

/** @param keeper where the operation of class `type` is parked. Undefined: it is in a timer. */
function alreadyPending(type: string, keeper: Keeper | undefined): PurgatoryError {
  if (keeper !== undefined) {
    const text = `The ${type} is parked already, in ${keeper.title}: park each operation once`;
    return new PurgatoryError('ERR_PURGATORY_ALREADY_WATCHED', text);
  }
  const text = `The ${type} is pending in a timer as a plain task: cancel it there before parking it`;
  return new PurgatoryError('ERR_PURGATORY_ALREADY_PENDING', text);
}
