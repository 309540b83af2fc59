// The scheduler of loads: it decides which key is loaded when. It stands between the events of
// SharedWaits and the user's `load`.
//
// Invariants. A key has one load at a time, and the load is over once its answers have been given,
// or its keys are due again in parts (division.ts). Keys that are due at the end of a turn are
// loaded together: `loadBatch` keys a load, `concurrency` loads at a time. An event during the load
// of its key causes exactly one more. A load aborts when all waits that it would answer have ended,
// and is given up GIVE_UP_MS later. After `loadTimeoutMs` it has failed for good, and is not divided:
// each of its keys is loaded alone from then on, and such keys have half of the places at most: of
// one place, half of the time. With `retry`, a key that timed out in company has a short time at
// first, so that the good ones among such do not wait for those that hang.
//
// Costs. An event: O(1). A load: O(its keys), and its answers.
import { backoffMs } from '../../base/backoff.ts';
import { notWithin } from '../../base/errors.ts';
import { reportError } from '../../base/report-error.ts';
import { keyText } from '../../base/text.ts';
import { TurnEnd } from '../../clock/later.ts';
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import type { Parking, PendingEvents } from '../../purgatory/parking.ts';
import type { Named } from '../../purgatory/telemetry/purgatory-meter.ts';
import { SystemTimer } from '../../timer/system-timer.ts';
import type { Timer } from '../../timer/timer.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { Answers } from './answers.ts';
import { type Decide, Division, partsOf } from './division.ts';
import { DueKeys } from './due-keys.ts';
import { type Cause, type DueBatch, Load, type Loading, type Retry, type WatchedKey } from './load.ts';
import { LoadMeter, type LoadSnapshot, type LoadsSnapshot } from './load-meter.ts';
import { isFailedState, statesOf } from './loaded-states.ts';
import { Looks } from './looks.ts';
import type { SharedWaiter } from './shared-waiter.ts';
import type { CheckedSharedWaitsOptions } from './shared-waits-options.ts';
import type { WaiterLists } from './waiter-lists.ts';

/** How long an aborted load may go on before its keys can be loaded again. */
const GIVE_UP_MS = 5_000;

/** The most keys of a load whose waits a snapshot counts. */
const MAX_COUNTED = 1_000;

/** The part of `loadTimeoutMs` that a key has at first which timed out in company. */
const SUSPECT_SHARE = 1 / 50;

/** The error that sums of times may have. */
const ROUNDING_MS = 0.001;

export class LoadScheduler implements PendingEvents {
  /** Of its time-outs, retries, rechecks and polls. */
  readonly timer: Timer;
  readonly #options: CheckedSharedWaitsOptions<unknown>;
  readonly #parking: Parking<string, WaiterLists>;
  readonly #meter: LoadMeter;
  readonly #answers: Answers;
  readonly #due: DueKeys;
  readonly #looks: Looks;
  readonly #random: () => number;
  /** The loads that are under way, each with its time-out or, once it was aborted, what gives it up. */
  readonly #underWay = new Map<Load, TimerTask | undefined>();
  readonly #giveUps: SystemTimer;
  /** Those among them of keys that timed out. */
  #apart = 0;
  /** Where there is one place: until when it is for other keys, and what wakes the others then. */
  #restUntilMs = 0;
  #rest: TimerTask | undefined;
  // The load serves all waits. So it must not run in the async context of the first one.
  readonly #turnEnd = new TurnEnd(() => this.#start());

  /** @param waits whose loads they are, for the events. */
  constructor(
    options: CheckedSharedWaitsOptions<unknown>,
    parking: Parking<string, WaiterLists>,
    waits: Named,
  ) {
    this.#options = options;
    this.#parking = parking;
    // A timer that is shared may be full or closed. Then loads would begin that nothing ends.
    const { timer, lists } = parking;
    this.timer = options.timer === undefined ? timer : new SystemTimer({ clock: timer.clock });
    if (!timer.hasRef()) this.timer.unref();
    this.#giveUps = new SystemTimer({ clock: timer.clock });
    this.#meter = new LoadMeter(waits);
    this.#random = options.bus?.random ?? Math.random;
    this.#due = new DueKeys(options.loadBatch);
    this.#looks = new Looks(this.timer, (key) => this.#makeDue(key));
    this.#answers = new Answers(parking.scheduler, lists, (key) => this.#answered(key));
  }

  isStillDue(operation: DelayedOperation): boolean {
    return this.#answers.isStillDue(operation as SharedWaiter) && this.#parking.isExpiring(operation);
  }

  /** The oldest load: O(its keys, up to MAX_COUNTED). */
  loads(nowMs: number): LoadsSnapshot {
    const [oldest] = this.#underWay.keys();
    return {
      underWay: this.#underWay.size,
      oldest: oldest === undefined ? null : this.#snapshotOf(oldest, nowMs),
      keysDue: this.#due.size,
      ...this.#meter.snapshot(),
    };
  }

  #snapshotOf({ keys, beganAtMs }: Load, nowMs: number): LoadSnapshot {
    let waits = 0;
    for (const { watched } of keys.slice(0, MAX_COUNTED)) waits += this.#waitsOn(watched);
    const key = keyText(keys[0].watched.key);
    return { ageMs: Math.max(0, nowMs - beganAtMs), keys: keys.length, key, waits };
  }

  #waitsOn({ key }: WatchedKey): number {
    return this.#parking.lists.watchersOf(key);
  }

  /**
   * A new wait on `key` has begun, or the key may have changed. A load that begins after this call
   * must follow. O(1).
   */
  event(key: WatchedKey, cause: Cause): void {
    add(cause, key.loading ?? key);
    if (key.loading === undefined && key.failures === 0) this.#makeDue(key);
    // Otherwise it backs off or is due already. That load sees the change.
    this.#holdAborted();
  }

  /** A wait has ended, and is off all lists. */
  removed({ watched, lastLoading }: SharedWaiter): void {
    const { loading } = watched;
    if (this.#parking.lists.size === 0) {
      this.#holdAborted();
      this.#rest?.cancel();
    }
    if (loading === undefined) {
      if (this.#waitsOn(watched) === 0) this.#forget(watched);
    } else if (loading !== lastLoading && --loading.load.waits === 0) {
      this.#abort(loading.load);
    }
  }

  close(): void {
    this.#due.clear();
    for (const [load, end] of this.#underWay) {
      end?.cancel();
      load.controller.abort();
    }
    this.#underWay.clear();
    this.#giveUps.close();
    if (this.timer !== this.#parking.timer) this.timer.close();
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
      const isResting = concurrency === 1 && this.timer.now() < this.#restUntilMs;
      const batch = this.#due.next(!isResting && this.#apart < Math.max(1, concurrency >> 1));
      if (batch === undefined) {
        if (isResting && this.#due.size > 0) this.#wakeAfterRest();
        return;
      }
      this.#load(batch);
    }
  }

  #wakeAfterRest(): void {
    if (this.#rest?.isPending || this.timer.isClosed) return;
    const restMs = this.#restUntilMs - this.timer.now();
    this.#rest = this.timer.schedule(() => this.#startSoon(), restMs);
  }

  #load(batch: DueBatch): void {
    const { loadTimeoutMs, retry, load: read } = this.#options;
    const timeoutMs = retry && batch.kind === 'suspect' ? loadTimeoutMs * SUSPECT_SHARE : loadTimeoutMs;
    const load = new Load(batch, this.timer.now(), timeoutMs, this.#parking.lists);
    this.#underWay.set(load, this.#timeOutLater(load));
    if (load.isApart) this.#apart++;
    this.#meter.began(load.keys.length);
    void statesOf(read, load.names, load.controller.signal).then(
      (states) => this.#end(load, () => this.#succeeded(load, states)),
      (error) => this.#end(load, () => this.#failed(load, error)),
    );
  }

  /**
   * The load has settled, or is given up. Called once. `take` takes its result, unless it was
   * aborted. Other loads take its place.
   */
  #end(load: Load, take?: () => void): void {
    this.#underWay.get(load)?.cancel();
    if (!this.#underWay.delete(load)) return;
    load.endedAtMs = this.timer.now();
    if (load.isApart) {
      this.#apart--;
      this.#restUntilMs = 2 * load.endedAtMs - load.beganAtMs;
    }
    if (load.controller.signal.aborted) this.#release(load);
    else take?.();
    this.#startSoon();
  }

  #timeOutLater(load: Load): TimerTask | undefined {
    const { keys, timeoutMs } = load;
    if (timeoutMs === Number.POSITIVE_INFINITY || this.timer.isClosed) return undefined;
    const timeOut = (): void => {
      const many = keys.length === 1 ? '1 key' : `${keys.length} keys`;
      const what = `A load of ${many} of ${this.#parking.title}`;
      const error = notWithin(`${what} has not ended`, timeoutMs);
      this.#end(load, () => this.#timedOut(load, error));
      load.controller.abort(error);
    };
    return this.timer.schedule(timeOut, timeoutMs);
  }

  #succeeded(load: Load, states: readonly unknown[]): void {
    this.#due.ended(load.names);
    for (const [i, key] of load.keys.entries()) {
      const state = states[i];
      const failure = isFailedState(state) ? { error: state, retry: undefined } : undefined;
      this.#answers.give(key, { state, failure });
    }
    load.division?.answered();
  }

  /** A bad key throws. What hangs is the store, and each part would hang for as long. */
  #timedOut(load: Load, error: unknown): void {
    this.#meter.failed(load, error, load.endedAtMs);
    this.#due.timedOut(load.names);
    this.#fail(load, error, this.#retry());
    load.division?.ended();
  }

  #failed(load: Load, error: unknown): void {
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
  #divide(load: Load, wasUp: boolean): void {
    const keys = load.keys.filter((key) => this.#didEnd(key)).map(({ watched }) => watched);
    const parts = partsOf(keys, this.#random());
    const decide: Decide<Load> = (failed, isUp) => {
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
    if (!this.#options.retry || this.timer.isClosed) return undefined;
    return { sinceMs: this.timer.now(), jitter: this.#random() };
  }

  /** A load has failed for good. */
  #fail(load: Load, error: unknown, retry: Retry | undefined): void {
    const { onError } = this.#options;
    const failure = { error, retry };
    load.hasFailed = true;
    for (const key of load.keys) this.#answers.give(key, { failure });
    if (onError !== undefined) reportError(error, load.names, onError);
  }

  /** An answer has been given to all its waits. */
  #answered(key: Loading): void {
    const { load, watched, outcome } = key;
    // First of all: a listener may end the waits on the key, or begin others.
    if (--load.unanswered === 0 && !load.hasFailed) this.#meter.answered(load, this.timer.now());
    if (!this.#didEnd(key)) return;
    const retry = outcome?.failure?.retry;
    if (retry !== undefined) {
      const { sinceMs, jitter } = retry;
      this.#looks.add(watched, sinceMs + backoffMs(++watched.failures, jitter));
      return;
    }
    watched.failures = 0;
    if (watched.cause !== undefined) watched.answeredAtMs = load.endedAtMs;
    watched.cause = key.cause;
    if (key.cause !== undefined) this.#makeDue(watched);
    else this.#lookAgain(watched, load);
  }

  /** The load of a key is over. True iff somebody waits for it; else it is forgotten. */
  #didEnd({ watched, pass, cause }: Loading): boolean {
    this.#parking.lists.release(pass);
    watched.loading = undefined;
    add(cause, watched);
    if (this.#waitsOn(watched) > 0) return true;
    this.#forget(watched);
    return false;
  }

  /**
   * Arms the recheck or the poll of a key whose load was answered, whichever comes first. Rechecks
   * whose time came before it began are served by it.
   */
  #lookAgain(key: WatchedKey, { beganAtMs, endedAtMs }: Load): void {
    const { recheckMs, pollMs } = this.#options;
    const recheckAtMs = recheckMs
      .map((ms) => key.answeredAtMs + ms)
      .find((atMs) => atMs > beganAtMs + ROUNDING_MS);
    const atMs = Math.min(recheckAtMs ?? Number.POSITIVE_INFINITY, endedAtMs + pollMs);
    if (atMs !== Number.POSITIVE_INFINITY && !this.timer.isClosed) this.#looks.add(key, atMs);
  }

  #forget(key: WatchedKey): void {
    this.#looks.delete(key);
    this.#due.delete(key);
    this.#parking.lists.known.delete(key.key);
  }

  readonly #abort = (load: Load): void => {
    if (!this.#underWay.has(load)) return; // its answers are being given
    this.#underWay.get(load)?.cancel();
    const restMs = Math.min(GIVE_UP_MS, load.beganAtMs + load.timeoutMs - this.timer.now());
    this.#underWay.set(
      load,
      this.#giveUps.schedule(() => this.#end(load), restMs),
    );
    this.#holdAborted();
    load.controller.abort();
  };

  /**
   * An aborted load keeps the process alive while somebody waits, for its key or for its place, as
   * its time-out did. Otherwise nobody waits for it.
   */
  #holdAborted(): void {
    if (this.#giveUps.size === 0) return;
    if (this.#parking.lists.size > 0 && this.timer.hasRef()) this.#giveUps.ref();
    else this.#giveUps.unref();
  }

  /** The aborted `load` has no wait left. Waits that began since get a load of their own. */
  #release(load: Load): void {
    this.#meter.aborted();
    for (const key of load.keys) if (this.#didEnd(key)) this.#makeDue(key.watched);
    load.division?.ended();
  }
}

/** A hint outdoes a wait: a deadline waits for its load. */
function add(cause: Cause | undefined, to: { cause: Cause | undefined }): void {
  if (to.cause !== 'hint') to.cause = cause ?? to.cause;
}
