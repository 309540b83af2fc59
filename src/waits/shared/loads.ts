// The scheduler of loads: it decides which key is loaded when. It stands between the events of
// SharedWaits and the user's `load`.
//
// Invariants. Only this file writes the loading fields of a WatchedKey. A key has one load at a
// time, and the load is over once its answers have been given. Keys that are due at the end of a
// turn are loaded together: `loadBatch` keys a load, `concurrency` loads at a time. An event during
// the load of its key causes exactly one more. A load aborts when all waits that it would answer
// have ended, and is given up GIVE_UP_MS later.
//
// Costs. An event: O(1). A load: O(its keys), and its answers.
import { backoffMs } from '../../base/backoff.ts';
import { reportError } from '../../base/report-error.ts';
import { TurnEnd } from '../../clock/later.ts';
import { isOver } from '../../purgatory/watchers.ts';
import type { SystemTimer } from '../../timer/system-timer.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { schedulerOf } from '../../turns/scheduler.ts';
import { type Answer, Answers } from './answers.ts';
import { Load, type LoadedKey } from './load.ts';
import type { LoadMeter } from './load-meter.ts';
import type { CheckedSharedWaitsOptions } from './shared-waits-options.ts';
import type { WaiterLists } from './waiter-lists.ts';
import type { SharedWaiter, WatchedKey } from './watched-key.ts';

/** How long an aborted load may go on before its keys can be loaded again. */
const GIVE_UP_MS = 5_000;

/** The error that sums of times may have. */
const ROUNDING_MS = 0.001;

export class Loads<V> {
  readonly #options: CheckedSharedWaitsOptions<V>;
  readonly #timer: SystemTimer;
  readonly #meter: LoadMeter;
  readonly #lists: WaiterLists<V>;
  readonly #answers: Answers<V>;
  readonly #due = new Set<WatchedKey>();
  /** The loads that are under way. An aborted one has the task that ends it. */
  readonly #underWay = new Map<Load<V>, TimerTask | undefined>();
  // The load serves all waits. So it must not run in the async context of the first one.
  readonly #turnEnd = new TurnEnd(() => this.#start());
  #isClosed = false;

  constructor(
    options: CheckedSharedWaitsOptions<V>,
    timer: SystemTimer,
    meter: LoadMeter,
    lists: WaiterLists<V>,
  ) {
    this.#options = options;
    this.#timer = timer;
    this.#meter = meter;
    this.#lists = lists;
    this.#answers = new Answers(schedulerOf(timer), lists, (answer) => this.#answered(answer));
  }

  get underWay(): number {
    return this.#underWay.size;
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
  }

  /** `waiter` has ended. */
  left({ watched }: SharedWaiter<V>): void {
    const { load, pass } = watched;
    if (load === undefined) {
      if (!watched.isWaitedFor) this.#forget(watched);
    } else if (pass !== undefined && isOver(pass)) {
      watched.pass = undefined;
      load.left();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#due.clear();
    for (const load of this.#underWay.keys()) load.abort();
    this.#underWay.clear();
  }

  #makeDue(key: WatchedKey): void {
    key.look?.cancel();
    key.look = undefined;
    this.#due.add(key);
    this.#startSoon();
  }

  #startSoon(): void {
    if (this.#due.size > 0) this.#turnEnd.request();
  }

  #start(): void {
    const { loadBatch, concurrency } = this.#options;
    while (this.#due.size > 0 && this.#underWay.size < concurrency) {
      const keys: WatchedKey[] = [];
      for (const key of this.#due) {
        this.#due.delete(key);
        if (keys.push(key) === loadBatch) break;
      }
      void this.#load(keys);
    }
  }

  async #load(watched: readonly WatchedKey[]): Promise<void> {
    const { recheckMs } = this.#options;
    const nowMs = this.#timer.now();
    const keys = watched.map((key) => {
      const { hasEvent, sweep } = key;
      return { watched: key, pass: this.#lists.holdPass(key), hasEvent, sweep };
    });
    const load = new Load<V>(keys, nowMs, this.#abort);
    for (const { watched: key, pass } of keys) {
      key.pass = pass;
      while (key.answeredAtMs + recheckMs[key.rechecks] <= nowMs + ROUNDING_MS) key.rechecks++;
      key.load = load;
      key.isOutdated = false;
      key.hasEvent = false;
      key.sweep = undefined;
    }
    this.#underWay.set(load, undefined);
    this.#meter.began(keys.length);
    let states: readonly (V | undefined)[];
    try {
      states = await load.run(this.#options.load);
    } catch (error) {
      this.#end(load, () => this.#failed(load, error));
      return;
    }
    this.#end(load, () => this.#answers.give(keys.map((key, i) => ({ load, key, value: states[i] }))));
  }

  /**
   * The load has settled, or is given up. Called once. `take` takes its result, unless it was
   * aborted. Other loads take its place.
   */
  #end(load: Load<V>, take?: () => void): void {
    this.#underWay.get(load)?.cancel();
    if (!this.#underWay.delete(load)) return;
    if (load.isAborted) this.#release(load);
    else take?.();
    this.#startSoon();
  }

  #failed(load: Load<V>, error: unknown): void {
    const { onError } = this.#options;
    this.#meter.failed(load, error, this.#timer.now());
    const failure = { error, jitter: onError === undefined ? undefined : Math.random() };
    this.#answers.give(load.keys.map((key) => ({ load, key, failure })));
    if (onError !== undefined) reportError(error, load.names, onError);
  }

  /** An answer has been given to all its waits. */
  #answered({ load, key, failure }: Answer<V>): void {
    const { watched } = key;
    this.#didEnd(key);
    if (--load.unanswered === 0 && failure === undefined) this.#meter.answered(load, this.#timer.now());
    if (failure?.jitter !== undefined) {
      this.#backOff(key, failure.jitter);
      return;
    }
    key.sweep?.tried(key.pass.tried);
    if (this.#isClosed) return;
    watched.failures = 0;
    if (!watched.isWaitedFor) {
      this.#forget(watched);
      return;
    }
    if (key.hasEvent) {
      watched.answeredAtMs = this.#timer.now();
      watched.rechecks = 0;
    }
    if (watched.isOutdated) this.#makeDue(watched);
    else this.#lookAgain(watched);
  }

  /** The next load of a failed key serves the events and the sweep of this one. */
  #backOff({ watched, hasEvent, sweep }: LoadedKey, jitter: number): void {
    watched.hasEvent ||= hasEvent;
    watched.sweep ??= sweep;
    if (this.#isClosed) return;
    if (watched.isWaitedFor) this.#lookIn(watched, backoffMs(++watched.failures, jitter));
    else this.#forget(watched);
  }

  /** The load of a key is over. */
  #didEnd({ watched, pass }: LoadedKey): void {
    this.#lists.release(pass);
    watched.load = undefined;
    watched.pass = undefined;
  }

  /** Arms the recheck or the poll of an idle key, whichever comes first. */
  #lookAgain(key: WatchedKey): void {
    const { recheckMs, pollMs } = this.#options;
    const nowMs = this.#timer.now();
    const recheckAtMs = key.answeredAtMs + (recheckMs[key.rechecks] ?? Number.POSITIVE_INFINITY);
    const delayMs = Math.min(recheckAtMs - nowMs, pollMs);
    if (delayMs <= 0)
      this.#makeDue(key); // its time came during the load
    else if (delayMs !== Number.POSITIVE_INFINITY) this.#lookIn(key, delayMs);
  }

  #lookIn(key: WatchedKey, delayMs: number): void {
    key.look = this.#timer.schedule(() => this.#makeDue(key), delayMs);
  }

  #forget(key: WatchedKey): void {
    key.look?.cancel();
    key.look = undefined;
    this.#due.delete(key);
    key.sweep?.tried(0);
    this.#lists.forget(key);
  }

  readonly #abort = (load: Load<V>): void => {
    if (!this.#underWay.has(load)) return; // its answers are being given
    this.#underWay.set(
      load,
      this.#timer.schedule(() => this.#end(load), GIVE_UP_MS),
    );
    load.abort();
  };

  /** The aborted `load` has no wait left. Waits that began since get a load of their own. */
  #release(load: Load<V>): void {
    this.#meter.aborted();
    for (const key of load.keys) {
      const { watched, sweep } = key;
      this.#didEnd(key);
      sweep?.tried(0);
      if (watched.isWaitedFor) this.#makeDue(watched);
      else this.#forget(watched);
    }
  }
}
