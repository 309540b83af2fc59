// Tasks that run again and again: scheduleAtFixedRate and scheduleWithFixedDelay of
// java.util.concurrent.
//
// A periodic task is one TimerTask for the whole series. It adds itself again BEFORE it calls the
// user's function. So it is pending all the time, it keeps its place under `maxPending`, and
// `cancel()` ends the series from anywhere. What a run throws, or its promise rejects with, is
// reported, and the series goes on. (ScheduledThreadPoolExecutor ends it and says nothing.
// java.util.Timer dies.) A fixed rate is counted from the origin, which is the first deadline: run
// n is due at origin + n * period, whatever became of the runs before. A fixed delay is counted
// from the end of the run. Each run costs one `add`, or three with a promise.
import { checkedNumber, checkedOptions, requiredFunction, requiredNumber } from '../base/checks.ts';
import { invalidArgValue } from '../base/node-errors.ts';
import { knownOptions, type OptionNames } from '../base/options.ts';
import type { Timer } from './timer.ts';
import { TimerTask } from './timer-task.ts';

/** The options of {@link SystemTimer.scheduleWithFixedDelay}. */
export interface FixedDelayOptions {
  /** The delay of the first run in ms, 0 or more. Default: as between the runs. */
  initialDelayMs?: number | undefined;
}

/** The options of {@link SystemTimer.scheduleAtFixedRate}. */
export interface FixedRateOptions extends FixedDelayOptions {
  /**
   * What to do with runs that were missed: the machine was suspended, the process was busy, or the
   * timer was not advanced. `coalesce`, the default: one run stands for all of them. The next is
   * the first whose time has not come. `makeUp`: all of them run, one in each turn (or in each
   * `advanceClock()`), as in Java. Of those that were missed because the promise of a run had not
   * settled, `coalesce` runs none, and `makeUp` all, one after the other.
   */
  missedRuns?: 'coalesce' | 'makeUp' | undefined;
}

/** No tick is shorter than a millisecond, so no timer could keep a shorter period. */
const PERIOD = { min: 1, max: Number.MAX_SAFE_INTEGER } as const;
const DELAY = { min: 0, max: Number.MAX_SAFE_INTEGER } as const;
const OPTIONS: OptionNames<FixedRateOptions> = { initialDelayMs: true, missedRuns: true };

/**
 * How often a task that waits for a promise is added again: a day, for which no wheel has to be
 * made.
 */
const HELD_MS = 86_400_000;

abstract class PeriodicTask extends TimerTask {
  /** A timer reads it once in each `add`. Between two it may change. */
  declare delayMs: number;
  protected readonly timer: Timer;
  readonly #callback: () => unknown;
  /** Whether the promise of the last run has yet to settle. */
  #isUnderWay = false;

  constructor(timer: Timer, callback: () => unknown, initialDelayMs: number) {
    super(initialDelayMs);
    this.timer = timer;
    this.#callback = callback;
  }

  /** The delay of the next run, when one begins. */
  protected abstract delayAtBegin(): number;

  /**
   * The delay of the next run, when one has ended. Undefined: that of its begin stands.
   *
   * @param isLate whether others may have been due meanwhile.
   */
  protected abstract delayAtEnd(isLate: boolean): number | undefined;

  override run(): void {
    if (this.#isUnderWay) {
      this.#addAfter(HELD_MS);
      return;
    }
    this.#addAfter(this.delayAtBegin());
    const callback = this.#callback;
    let isPromise = false;
    try {
      const result = callback() as PromiseLike<unknown> | undefined;
      isPromise = typeof result?.then === 'function';
      if (isPromise) this.#waitFor(result);
    } finally {
      if (!isPromise) this.#end(false);
    }
  }

  #waitFor(promise: unknown): void {
    this.#isUnderWay = true;
    Promise.resolve(promise).then(
      () => this.#end(true),
      (error: unknown) => {
        this.#end(true);
        this.timer.report(error, this);
      },
    );
    if (this.isPending) this.#addAfter(HELD_MS);
  }

  /** Does nothing but note it when the series was cancelled meanwhile. */
  #end(isLate: boolean): void {
    this.#isUnderWay = false;
    if (!this.isPending) return;
    const delayMs = this.delayAtEnd(isLate);
    if (delayMs !== undefined) this.#addAfter(delayMs);
  }

  #addAfter(delayMs: number): void {
    this.delayMs = delayMs;
    this.timer.add(this);
  }
}

export class FixedRateTask extends PeriodicTask {
  readonly #periodMs: number;
  readonly #makesUp: boolean;
  readonly #originMs: number;
  /** The number of the next run, from 0. */
  #n = 0;

  /** @throws TypeError, RangeError (Node's codes) for a bad argument. */
  constructor(
    timer: Timer,
    callback: () => unknown,
    periodMs: number,
    options: FixedRateOptions | undefined,
  ) {
    const { missedRuns = 'coalesce' } = checkedOptions(options);
    if (missedRuns !== 'coalesce' && missedRuns !== 'makeUp') {
      throw invalidArgValue('options.missedRuns', "must be 'coalesce' or 'makeUp'", missedRuns);
    }
    super(timer, callback, initialDelay(callback, 'periodMs', periodMs, PERIOD, options));
    this.#periodMs = periodMs;
    this.#makesUp = missedRuns === 'makeUp';
    this.#originMs = timer.clock.now() + this.delayMs;
  }

  protected override delayAtBegin(): number {
    // A timer never runs a task early. A clock that reads less has gone back.
    const nowMs = Math.max(this.timer.clock.now(), this.#deadlineMs(this.#n));
    this.#n++;
    return this.#delayFrom(nowMs);
  }

  protected override delayAtEnd(isLate: boolean): number | undefined {
    return isLate ? this.#delayFrom(this.timer.clock.now()) : undefined;
  }

  /** Leaves out what was missed, unless that is made up. */
  #delayFrom(nowMs: number): number {
    if (!this.#makesUp && this.#deadlineMs(this.#n) <= nowMs) {
      this.#n = Math.floor((nowMs - this.#originMs) / this.#periodMs);
      while (this.#deadlineMs(this.#n) <= nowMs) this.#n++;
    }
    return this.#deadlineMs(this.#n) - nowMs;
  }

  #deadlineMs(n: number): number {
    return this.#originMs + n * this.#periodMs;
  }
}

export class FixedDelayTask extends PeriodicTask {
  readonly #delayMs: number;

  /** @throws TypeError, RangeError (Node's codes) for a bad argument. */
  constructor(
    timer: Timer,
    callback: () => unknown,
    delayMs: number,
    options: FixedDelayOptions | undefined,
  ) {
    super(timer, callback, initialDelay(callback, 'delayMs', delayMs, DELAY, options));
    this.#delayMs = delayMs;
  }

  protected override delayAtBegin(): number {
    return this.#delayMs;
  }

  protected override delayAtEnd(): number {
    return this.#delayMs;
  }
}

/** Checks the arguments that both kinds have. Returns the delay of the first run. */
function initialDelay(
  callback: unknown,
  name: string,
  betweenMs: unknown,
  rule: { min: number; max: number },
  options: FixedDelayOptions | undefined,
): number {
  requiredFunction('callback', callback);
  const between = requiredNumber(name, betweenMs, rule);
  const given = knownOptions('a periodic task', options, OPTIONS);
  return checkedNumber('options.initialDelayMs', given.initialDelayMs, between, DELAY);
}
