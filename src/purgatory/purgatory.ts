// The purgatory: operations that wait for an event on one of their watch keys, or else for their
// deadline. tryCompleteElseWatch -> parked (watch lists + timer) -> an event | the deadline |
// cancel -> gone
//
// Invariants. An operation is completed exactly once. It is off every watch list and the timer in
// the call that completes, expires or cancels it, before its user code runs: no purge, no estimate.
// No wake-up is lost: an operation is tried, then watched on all its keys, and tried once more where
// its own try has caused an event. User code may enter the purgatory again from anywhere, so no state
// is held in a local variable across it, except in passes, which survive any change (passes.ts).
// (Kafka: DelayedOperationPurgatory.)

import { requiredFunction, singleKey } from '../base/checks.ts';
import { isDebugging } from '../base/debug.ts';
import { readOptions, titleOf } from '../base/options.ts';
import { BusLink, busLinkOf, type CheckedBusLink } from '../bus/membership/bus-link.ts';
import { type BusMember, checkHintKey, type HintValue } from '../bus/membership/bus-member.ts';
import { Sweep } from '../bus/membership/sweep.ts';
import { AbstractPurgatory } from './abstract-purgatory.ts';
import { type Condition, ConditionWait } from './condition-wait.ts';
import { hintAtEvent, hintAtKeys } from './debug-hints.ts';
import { checkOperation, type DelayedOperation } from './delayed-operation.ts';
import { addHints, checkedLimit, type EventOptions, hintOfLimit, limitOfHint } from './event-limit.ts';
import { EventQueue } from './event-queue.ts';
import { follow } from './follow.ts';
import { copiedKeys } from './key-copies.ts';
import { ParkedWalk } from './parked-walk.ts';
import { Parking } from './parking.ts';
import {
  checkedWaitOptions,
  PURGATORY_OPTIONS,
  type PurgatoryOptions,
  parkingParts,
  type WaitOptions,
} from './purgatory-options.ts';
import type { NotYet, WaitResult } from './wait.ts';
import { Watchers } from './watchers.ts';

/** Watchers of a key that are tried in the call that brings a hint; the bus slices those. */
const MAX_TRIED_AT_ONCE = 64;

/**
 * Parks operations until an event on one of their watch keys, or their deadline, completes them.
 */
export class Purgatory<K = string, Op extends DelayedOperation = DelayedOperation> extends AbstractPurgatory<
  K,
  Op
> {
  readonly #parking: Parking<K, Watchers<K>>;
  readonly #events: EventQueue<K>;

  /**
   * @param name for people: errors and metrics show it.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   * @throws PurgatoryError ERR_PURGATORY_ALREADY_JOINED: a purgatory of that name is on the bus in
   *   this process; _CLOSED: the bus is closed.
   */
  constructor(name: string, options?: PurgatoryOptions<Op>) {
    const title = titleOf('Purgatory', name);
    const { bus, sweepMs, onError, ...given } = readOptions(title, options, PURGATORY_OPTIONS);
    const parts = parkingParts(title, name, given, onError);
    const parking = new Parking<K, Watchers<K>>(parts, new Watchers());
    super(parking);
    this.#parking = parking;
    this.#events = new EventQueue(parking, parts.sliceMs);
    const hinted: BusMember['hinted'] = (key, limit) => this.#hinted(key as K, limit);
    const sweepOf = (link: CheckedBusLink): Sweep => new Sweep(new ParkedWalk(parking), link);
    const link = busLinkOf({ bus, sweepMs }, parts.timer);
    parking.link = BusLink.join(link, { name, hinted, merge: addHints }, parking.lists, sweepOf);
  }

  /**
   * Tries `operation`. If it cannot be completed yet, parks it until an event on one of `keys`, or
   * its deadline, completes it. True iff this call completed it. A key given twice counts once.
   * O(keys).
   *
   * If `tryComplete` throws, so does the call, and nothing is parked. An operation that is
   * completed already is not parked.
   *
   * @throws TypeError ERR_INVALID_ARG_TYPE: no DelayedOperation, no array, or a key that is an array.
   *   ERR_INVALID_ARG_VALUE: no keys.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED; _ALREADY_WATCHED: it is parked; _ALREADY_PENDING:
   *   it is in a timer; _FULL: `maxParked`, or the timer's `maxPending`, is reached.
   */
  tryCompleteElseWatch(operation: Op, keys: readonly K[]): boolean {
    checkOperation(operation);
    const own = copiedKeys(keys);
    if (this.#parking.link !== undefined || isDebugging) this.#lookAt(own);
    return this.#parking.tryElsePark(operation, own);
  }

  /**
   * An event on `key`: tries every operation that watches it, in park order, once each. Returns how
   * many operations its tries completed. One that was completed inside its `tryComplete` counts,
   * even if that returned false or threw. Operations that are parked meanwhile wait for the next
   * event. Other processes get no event, even with a bus. O(watchers of the key).
   *
   * Keys are compared as a Map compares them: `7` is not `'7'`, and an object equals only itself.
   * An event on a key without a watcher does nothing. Keys are strings unless another type is
   * given: `new Purgatory<number>(name)`.
   *
   * Inside a try of an event on the same key, the new event is served at the end of the turn, as by
   * `notify`, and the call returns 0.
   *
   * With `atMost`, the event ends after so many completions: one item for 20,000 waits costs one
   * try.
   *
   * @throws TypeError, RangeError (Node's codes) when `atMost` is no integer of at least 1, and for a
   *   key that is an array.
   */
  checkAndComplete(key: K, options?: EventOptions): number {
    singleKey('key', key, 'several keys are several checkAndComplete');
    const limit = checkedLimit(options);
    if (isDebugging) hintAtEvent(this.#parking, 'checkAndComplete', key, this.#parking.link !== undefined);
    return this.#events.now(key, limit);
  }

  /**
   * An event on `key`. Change the state first, then notify: an event that nobody waits for is over
   * in the call, O(1). Else the operations are tried at the end of this turn (in a microtask), once
   * for all calls until then. If a completion calls `notify`, that event is served in the same
   * microtask, with constant stack: use `notify` in `onComplete`. An operation that never
   * completes, and whose tries notify its own key, is tried for ever, while the event loop goes on.
   * With a bus, the event reaches the purgatories of this name in all other processes soon after.
   * Keys are compared as by `checkAndComplete`.
   *
   * Operations that are parked after the event has begun wait for the next event. An event
   * with many watchers takes several turns of the event loop, each for `sliceMs` at most, so that
   * timers and sockets get their share. If an event on the key is under way, one more follows it.
   * With `atMost`, the event ends after so many completions, in park order; with a bus, in each
   * process. The limits of several calls before the event begins add up, and a call without a limit
   * removes the limit. A new wait is tried at once, and overtakes the parked ones.
   *
   * @throws TypeError, RangeError (Node's codes) when `atMost` is no integer of at least 1, and for a
   *   key that is an array.
   * @throws with a bus: TypeError ERR_INVALID_ARG_TYPE for a key that is no string,
   *   ERR_INVALID_ARG_VALUE for one of more than 1,024 bytes.
   */
  notify(key: K, options?: EventOptions): void {
    singleKey('key', key, 'several keys are several notify');
    const limit = checkedLimit(options);
    if (isDebugging) hintAtEvent(this.#parking, 'notify', key);
    if (this.#parking.isClosed) return;
    this.#parking.link?.publish(key, hintOfLimit(limit));
    this.#events.add(key, limit);
  }

  /**
   * Resolves when the events that were notified before this call have been served here: each of
   * their operations was tried, or the purgatory was closed. Tries that returned a promise may still
   * be under way. O(1).
   */
  served(): Promise<void> {
    return this.#events.served();
  }

  /**
   * Calls `condition` now, and at each event on one of `keys`, until it returns a value or a
   * promise of one. Undefined, null and false mean "not yet". Resolves with that value, or with
   * `{ expired: true }` after `timeoutMs`. Ask `result.expired` before `result.value`. Keys are
   * compared as a Map compares them: `7` is not `'7'`, and an object equals only itself. O(keys).
   *
   * While the promise of a try is pending, events cause exactly one more try after it. So while a
   * try hangs, events do not reach its wait. Give reads a deadline of their own, such as
   * `timeoutSignal(5_000, { signal: context.signal })` of `purgatory/timers`. Once the wait has
   * ended, the result of a try is dropped. `context.signal` aborts if the wait ends without a
   * value.
   *
   * When `maxParked`, or the timer's `maxPending`, is reached, the wait is refused before `condition`
   * is called.
   *
   * Rejects with `signal.reason` on abort; with what `condition` throws; with a TypeError or
   * RangeError (Node's codes) for bad arguments; with a PurgatoryError: ERR_PURGATORY_CLOSED,
   * _FULL, or _CANCELLED by `cancelForKey`. Never throws.
   */
  waitFor<T>(
    keys: readonly K[],
    condition: Condition<T, K>,
    options: WaitOptions,
  ): Promise<WaitResult<Exclude<T, NotYet>>> {
    try {
      const own = copiedKeys(keys);
      if (this.#parking.link !== undefined || isDebugging) this.#lookAt(own);
      requiredFunction('condition', condition);
      const checked = checkedWaitOptions(options);
      this.#parking.checkOpen(checked.signal);
      // Before its try: a limit that lets reads begin sheds no load.
      this.#parking.checkRoom(checked.timeoutMs);
      const wait = new ConditionWait(condition as Condition<unknown, unknown>, checked);
      try {
        this.#parking.tryElsePark(wait, own);
      } catch (error) {
        wait.abort(error); // what its try has begun aborts, too
      }
      return wait.begin() as Promise<WaitResult<Exclude<T, NotYet>>>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * One `waitFor` after the other, as an async iterator: each answer, and `{ expired: true }` after
   * each `timeoutMs` without one. For subscriptions, watches and streams; the deadline is the
   * heartbeat. Between two answers nothing is missed: the condition is tried when the next wait
   * begins, so let it look at a position that your loop moves on. A wait is parked only while `next`
   * is pending, and `break`, `return()` and an abort end it at once. O(keys) a wait.
   *
   * `next` rejects as `waitFor` does: on abort with `signal.reason`, with ERR_PURGATORY_CLOSED, with
   * what `condition` throws. Then the iterator has ended. After `break` and `return()` it ends
   * without an error.
   *
   * @throws TypeError, RangeError (Node's codes) for a bad argument.
   */
  follow<T>(
    keys: readonly K[],
    condition: Condition<T, K>,
    options: WaitOptions,
  ): AsyncGenerator<WaitResult<Exclude<T, NotYet>>, void, undefined> {
    const own = copiedKeys(keys);
    requiredFunction('condition', condition);
    const { signal, ...wait } = checkedWaitOptions(options);
    return follow(
      (stop) => this.waitFor(own, condition, { ...wait, signal: stop }),
      signal,
      this.timer.clock,
    );
  }

  override close(): Op[] {
    const parked = super.close();
    this.#events.clear();
    return parked;
  }

  #lookAt(keys: readonly K[]): void {
    if (this.#parking.link !== undefined) keys.forEach(checkHintKey);
    if (isDebugging) hintAtKeys(this.#parking, keys);
  }

  #hinted(key: K, value: HintValue | undefined): boolean {
    const limit = limitOfHint(value);
    const watchers = this.watchersOf(key);
    if (watchers > MAX_TRIED_AT_ONCE) {
      this.#events.add(key, limit);
    } else if (watchers > 0) {
      this.#events.now(key, limit);
    }
    return watchers > 0;
  }
}
