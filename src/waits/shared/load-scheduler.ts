// The scheduler of loads: it decides which key is loaded when. It stands between the events of
// SharedWaits and the user's `load`.
//
// Invariants. Only this file writes the loading fields of a WatchedKey. A key has one load at a
// time, and the load is over once its answers have been given, or its keys are due again in parts
// (division.ts). Keys that are due at the end of a turn are loaded together: `loadBatch` keys a
// load, `concurrency` loads at a time. An event during the load of its key causes exactly one more.
// A load aborts when all waits that it would answer have ended, and is given up GIVE_UP_MS later.
// After `loadTimeoutMs` it has failed for good, and is not divided: each of its keys is loaded alone
// from then on, and such keys have half of the places at most: of one place, half of the time. With
// `retry`, a key that timed out in company has a short time at first, so that the good ones among such
// do not wait for those that hang.
//
// Costs. An event: O(1). A load: O(its keys), and its answers.
import { backoffMs } from '../../base/backoff.ts';
import { notWithin } from '../../base/errors.ts';
import { reportError } from '../../base/report-error.ts';
import { keyText } from '../../base/text.ts';
import { TurnEnd } from '../../clock/later.ts';
import type { Parking } from '../../purgatory/parking.ts';
import { SystemTimer } from '../../timer/system-timer.ts';
import type { Timer } from '../../timer/timer.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { type Answer, Answers, type Retry } from './answers.ts';
import { type Decide, Division, partsOf } from './division.ts';
import { type DueBatch, DueKeys } from './due-keys.ts';
import { isFailedState, Load, type LoadedKey } from './load.ts';
import type { LoadMeter, LoadSnapshot } from './load-meter.ts';
import { Looks } from './looks.ts';
import type { CheckedSharedWaitsOptions } from './shared-waits-options.ts';
import type { WaiterLists } from './waiter-lists.ts';
import type { SharedWaiter, WatchedKey } from './watched-key.ts';

/** How long an aborted load may go on before its keys can be loaded again. */
const GIVE_UP_MS = 5_000;

/** The most keys of a load whose waits a snapshot counts. */
const MAX_COUNTED = 1_000;

/** The part of `loadTimeoutMs` that a key has at first which timed out in company. */
const SUSPECT_SHARE = 1 / 50;

/** The error that sums of times may have. */
const ROUNDING_MS = 0.001;

export class LoadScheduler<V> {
  readonly #options: CheckedSharedWaitsOptions<V>;
  readonly #parking: Parking<string>;
  readonly #timer: Timer;
  readonly #meter: LoadMeter;
  readonly #lists: WaiterLists<V>;
  readonly #answers: Answers<V>;
  readonly #due: DueKeys<V>;
  readonly #looks: Looks;
  readonly #random: () => number;
  /** The loads that are under way, each with its time-out or, once it was aborted, what gives it up. */
  readonly #underWay = new Map<Load<V>, TimerTask | undefined>();
  readonly #giveUps: SystemTimer;
  /** Those among them of keys that timed out. */
  #apart = 0;
  /** Where there is one place: until when it is for other keys, and what wakes the others then. */
  #restUntilMs = 0;
  #rest: TimerTask | undefined;
  // The load serves all waits. So it must not run in the async context of the first one.
  readonly #turnEnd = new TurnEnd(() => this.#start());

  constructor(
    options: CheckedSharedWaitsOptions<V>,
    parking: Parking<string>,
    lists: WaiterLists<V>,
    meter: LoadMeter,
  ) {
    this.#options = options;
    this.#parking = parking;
    // A timer that is shared may be full or closed. Then loads would begin that nothing ends.
    const { timer } = parking;
    this.#timer = options.timer === undefined ? timer : new SystemTimer({ clock: timer.clock });
    if (!timer.hasRef()) this.#timer.unref();
    this.#giveUps = new SystemTimer({ clock: timer.clock });
    this.#meter = meter;
    this.#random = options.bus?.random ?? Math.random;
    this.#lists = lists;
    this.#due = new DueKeys(options.loadBatch);
    this.#looks = new Looks(this.#timer, (key) => this.#makeDue(key));
    this.#answers = new Answers(parking.scheduler, lists, (answer) => this.#answered(answer));
  }

  /** As {@link Answers.isStillDue}. */
  isStillDue(waiter: SharedWaiter<V>): boolean {
    return this.#answers.isStillDue(waiter);
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** The load that began first, of those that are under way. O(its keys, up to MAX_COUNTED). */
  oldest(nowMs: number): LoadSnapshot | null {
    const [load] = this.#underWay.keys();
    if (load === undefined) return null;
    const { keys, beganAtMs } = load;
    let waits = 0;
    for (const { watched } of keys.slice(0, MAX_COUNTED)) waits += watched.waiters;
    const key = keyText(keys[0].watched.key);
    return { ageMs: Math.max(0, nowMs - beganAtMs), keys: keys.length, key, waits };
  }

  get due(): number {
    return this.#due.size;
  }

  /**
   * A new wait on `key` has begun, or the key may have changed. A load that begins after this call
   * must follow. O(1).
   */
  event(key: WatchedKey): void {
    key.hasEvent = true;
    if (key.load !== undefined) key.isOutdated = true;
    else if (key.failures === 0) this.#makeDue(key);
    // Otherwise it backs off or is due already. That load sees the change.
    this.#holdAborted();
  }

  /** A wait has ended, and is off all lists. */
  removed({ watched }: SharedWaiter<V>): void {
    const { load, pass } = watched;
    if (this.#lists.size === 0) {
      this.#holdAborted();
      this.#rest?.cancel();
    }
    if (load === undefined) {
      if (!watched.isWaitedFor) this.#forget(watched);
    } else if (pass?.isOver) {
      watched.pass = undefined;
      load.keyDeserted();
    }
  }

  close(): void {
    this.#due.clear();
    for (const [load, end] of this.#underWay) {
      end?.cancel();
      load.abort();
    }
    this.#underWay.clear();
    this.#giveUps.close();
    if (this.#timer !== this.#parking.timer) this.#timer.close();
  }

  /** Of its time-outs, retries, rechecks and polls. */
  get timer(): Timer {
    return this.#timer;
  }

  #makeDue(key: WatchedKey): void {
    this.#looks.delete(key);
    this.#due.add(key);
    this.#startSoon();
  }

  #startSoon(): void {
    if (this.#due.size > 0) this.#turnEnd.request();
  }

  #start(): void {
    const { concurrency } = this.#options;
    while (this.#underWay.size < concurrency) {
      const isResting = concurrency === 1 && this.#timer.now() < this.#restUntilMs;
      const batch = this.#due.next(!isResting && this.#apart < Math.max(1, concurrency >> 1));
      if (batch === undefined) {
        if (isResting && this.#due.size > 0) this.#wakeAfterRest();
        return;
      }
      void this.#load(batch);
    }
  }

  #wakeAfterRest(): void {
    if (this.#rest?.isPending || this.#timer.isClosed) return;
    const restMs = this.#restUntilMs - this.#timer.now();
    this.#rest = this.#timer.schedule(() => this.#startSoon(), restMs);
  }

  async #load(batch: DueBatch<V>): Promise<void> {
    const { recheckMs, loadTimeoutMs, retry } = this.#options;
    const timeoutMs = retry && batch.kind === 'suspect' ? loadTimeoutMs * SUSPECT_SHARE : loadTimeoutMs;
    const nowMs = this.#timer.now();
    const keys = Array.from(batch.keys, (key) => {
      return { watched: key, pass: this.#lists.holdPass(key), hasEvent: key.hasEvent };
    });
    const load = new Load<V>(keys, nowMs, batch.division, batch.kind !== 'shared', timeoutMs, this.#abort);
    for (const { watched: key, pass } of keys) {
      key.pass = pass;
      while (key.answeredAtMs + recheckMs[key.rechecks] <= nowMs + ROUNDING_MS) key.rechecks++;
      key.load = load;
      key.isOutdated = false;
      key.hasEvent = false;
    }
    this.#underWay.set(load, this.#timeOutLater(load));
    if (load.isApart) this.#apart++;
    this.#meter.began(keys.length);
    let states: readonly (V | Error | undefined)[];
    try {
      states = await load.run(this.#options.load);
    } catch (error) {
      this.#end(load, () => this.#failed(load, error));
      return;
    }
    this.#end(load, () => this.#succeeded(load, states));
  }

  /**
   * The load has settled, or is given up. Called once. `take` takes its result, unless it was
   * aborted. Other loads take its place.
   */
  #end(load: Load<V>, take?: () => void): void {
    this.#underWay.get(load)?.cancel();
    if (!this.#underWay.delete(load)) return;
    load.endedAtMs = this.#timer.now();
    if (load.isApart) {
      this.#apart--;
      this.#restUntilMs = 2 * load.endedAtMs - load.beganAtMs;
    }
    if (load.isAborted) this.#release(load);
    else take?.();
    this.#startSoon();
  }

  #timeOutLater(load: Load<V>): TimerTask | undefined {
    const { name } = this.#options;
    const { timeoutMs } = load;
    if (timeoutMs === Number.POSITIVE_INFINITY || this.#timer.isClosed) return undefined;
    const timeOut = (): void => {
      const { length } = load.keys;
      const what = `A load of ${length} ${length === 1 ? 'key' : 'keys'} of SharedWaits "${name}"`;
      const error = notWithin(`${what} has not ended`, timeoutMs);
      this.#end(load, () => this.#timedOut(load, error));
      load.abort(error);
    };
    return this.#timer.schedule(timeOut, timeoutMs);
  }

  #succeeded(load: Load<V>, states: readonly (V | Error | undefined)[]): void {
    this.#due.ended(load.names);
    this.#answers.give(
      load.keys.map((key, i) => {
        const state = states[i];
        if (!isFailedState(state)) return { load, key, value: state };
        return { load, key, failure: { error: state, retry: undefined } };
      }),
    );
    load.division?.answered();
  }

  /** A bad key throws. What hangs is the store, and each part would hang for as long. */
  #timedOut(load: Load<V>, error: unknown): void {
    this.#meter.failed(load, error, load.endedAtMs);
    this.#due.timedOut(load.names);
    this.#fail(load, error, this.#retry());
    load.division?.ended();
  }

  #failed(load: Load<V>, error: unknown): void {
    this.#meter.failed(load, error, load.endedAtMs);
    this.#due.ended(load.names);
    if (load.division !== undefined) load.division.failed(load, error);
    else if (load.keys.length > 1) this.#divide(load, false);
    else this.#fail(load, error, this.#retry());
  }

  /**
   * Its keys are loaded in parts, at once. No wait has heard of the failure. `wasUp`: a load of its
   * own division was answered.
   */
  #divide(load: Load<V>, wasUp: boolean): void {
    const keys: WatchedKey[] = [];
    for (const key of load.keys) {
      this.#didEnd(key);
      carryOver(key);
      if (key.watched.isWaitedFor) keys.push(key.watched);
      else this.#forget(key.watched);
    }
    const parts = partsOf(keys, this.#random());
    const decide: Decide<Load<V>> = (failed, isUp) => {
      const retry = this.#retry();
      for (const { load: part, error } of failed) {
        if ((isUp || wasUp) && part.keys.length > 1) this.#divide(part, isUp);
        else this.#fail(part, error, retry);
      }
    };
    const division = new Division(parts.length, decide);
    for (const part of parts) this.#due.addPart(part, division);
    this.#startSoon();
  }

  #retry(): Retry | undefined {
    if (!this.#options.retry || this.#timer.isClosed) return undefined;
    return { sinceMs: this.#timer.now(), jitter: this.#random() };
  }

  /** A load has failed for good. */
  #fail(load: Load<V>, error: unknown, retry: Retry | undefined): void {
    const { onError } = this.#options;
    const failure = { error, retry };
    load.hasFailed = true;
    this.#answers.give(load.keys.map((key) => ({ load, key, failure })));
    if (onError !== undefined) reportError(error, load.names, onError);
  }

  /** An answer has been given to all its waits. */
  #answered({ load, key, failure }: Answer<V>): void {
    const { watched } = key;
    this.#didEnd(key);
    if (--load.unanswered === 0 && !load.hasFailed) this.#meter.answered(load, this.#timer.now());
    if (failure?.retry !== undefined) {
      this.#backOff(key, failure.retry);
      return;
    }
    watched.failures = 0;
    if (!watched.isWaitedFor) {
      this.#forget(watched);
      return;
    }
    if (key.hasEvent) {
      watched.answeredAtMs = load.endedAtMs;
      watched.rechecks = 0;
    }
    if (watched.isOutdated) this.#makeDue(watched);
    else this.#lookAgain(watched, load.endedAtMs);
  }

  #backOff(key: LoadedKey, { sinceMs, jitter }: Retry): void {
    const { watched } = key;
    carryOver(key);
    if (watched.isWaitedFor) this.#looks.add(watched, sinceMs + backoffMs(++watched.failures, jitter));
    else this.#forget(watched);
  }

  /** The load of a key is over. */
  #didEnd({ watched, pass }: LoadedKey): void {
    this.#lists.release(pass);
    watched.load = undefined;
    watched.pass = undefined;
  }

  /** Arms the recheck or the poll of a key that is idle since `idleAtMs`, whichever comes first. */
  #lookAgain(key: WatchedKey, idleAtMs: number): void {
    const { recheckMs, pollMs } = this.#options;
    const recheckAtMs = key.answeredAtMs + (recheckMs[key.rechecks] ?? Number.POSITIVE_INFINITY);
    const atMs = Math.min(recheckAtMs, idleAtMs + pollMs);
    if (atMs !== Number.POSITIVE_INFINITY && !this.#timer.isClosed) this.#looks.add(key, atMs);
  }

  #forget(key: WatchedKey): void {
    this.#looks.delete(key);
    this.#due.delete(key);
    this.#lists.forget(key);
  }

  readonly #abort = (load: Load<V>): void => {
    if (!this.#underWay.has(load)) return; // its answers are being given
    this.#underWay.get(load)?.cancel();
    const restMs = Math.min(GIVE_UP_MS, load.beganAtMs + load.timeoutMs - this.#timer.now());
    this.#underWay.set(
      load,
      this.#giveUps.schedule(() => this.#end(load), restMs),
    );
    this.#holdAborted();
    load.abort();
  };

  /**
   * An aborted load keeps the process alive while somebody waits, for its key or for its place, as
   * its time-out did. Otherwise nobody waits for it.
   */
  #holdAborted(): void {
    if (this.#giveUps.size === 0) return;
    if (this.#lists.size > 0 && this.#timer.hasRef()) this.#giveUps.ref();
    else this.#giveUps.unref();
  }

  /** The aborted `load` has no wait left. Waits that began since get a load of their own. */
  #release(load: Load<V>): void {
    this.#meter.aborted();
    for (const key of load.keys) {
      const { watched } = key;
      this.#didEnd(key);
      if (watched.isWaitedFor) this.#makeDue(watched);
      else this.#forget(watched);
    }
    load.division?.ended();
  }
}

/** The next load of a key serves the events of a load that failed. */
function carryOver({ watched, hasEvent }: LoadedKey): void {
  watched.hasEvent ||= hasEvent;
}
