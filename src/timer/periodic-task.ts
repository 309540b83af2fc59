// Tasks that run again and again: scheduleAtFixedRate and scheduleWithFixedDelay of
// java.util.concurrent.
//
// A periodic task is one TimerTask for the whole series. It adds itself again BEFORE it calls the
// user's function, and once more when that has ended, for the next run. So it is pending all the
// time, it keeps its place under `maxPending`, and `cancel()` ends the series from anywhere. What a
// run throws, or its promise rejects with, is reported, and the series goes on. A fixed rate is
// counted from the origin, which is the first deadline: run n is due at origin + n * period,
// whatever became of the runs before. A fixed delay is counted from the end of the run. All goes by
// the time of the timer, which never goes back. Each run costs two `add`.
import { requiredFunction, requiredNumber } from '../base/checks.ts';
import { numberOf, optional, type Rules, readOptions, wordOf } from '../base/options.ts';
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
const OPTIONS: Rules<FixedRateOptions> = {
  initialDelayMs: optional(numberOf(DELAY)),
  missedRuns: wordOf('coalesce', 'makeUp'),
};

/** How often a task is added again while a run is under way: a day, for which no wheel is made. */
const HELD_MS = 86_400_000;

class PeriodicTask extends TimerTask {
  /** A timer reads it once in each `add`. Between two it may change. */
  declare delayMs: number;
  readonly #timer: Timer;
  readonly #callback: () => unknown;
  readonly #nextDelay: (fromMs: number) => number;
  #isUnderWay = false;

  /** @param nextDelay the delay of the next run, when one has ended: what came by `fromMs` is missed. */
  constructor(timer: Timer, callback: () => unknown, firstMs: number, nextDelay: (fromMs: number) => number) {
    super(firstMs);
    this.#timer = timer;
    this.#callback = callback;
    this.#nextDelay = nextDelay;
  }

  override run(): void {
    this.#addAfter(HELD_MS);
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    const beganMs = this.#timer.now();
    let promise: unknown;
    try {
      const result = this.#callback.call(undefined) as PromiseLike<unknown> | undefined;
      if (typeof result?.then === 'function') promise = Promise.resolve(result);
    } finally {
      if (promise === undefined) this.#end(beganMs);
    }
    (promise as Promise<unknown> | undefined)?.then(
      () => this.#end(),
      (error: unknown) => {
        this.#end();
        this.#timer.report(error, this);
      },
    );
  }

  /** Does nothing but note it when the series was cancelled meanwhile. */
  #end(fromMs = this.#timer.now()): void {
    this.#isUnderWay = false;
    if (this.isPending) this.#addAfter(this.#nextDelay(fromMs));
  }

  #addAfter(delayMs: number): void {
    this.delayMs = delayMs;
    this.#timer.add(this);
  }
}

/** @throws TypeError, RangeError (Node's codes) for a bad argument. */
export function fixedRateTask(
  timer: Timer,
  callback: () => unknown,
  periodMs: number,
  options: FixedRateOptions | undefined,
): TimerTask {
  requiredFunction('callback', callback);
  requiredNumber('periodMs', periodMs, PERIOD);
  const { initialDelayMs = periodMs, missedRuns } = readOptions('a periodic task', options, OPTIONS);
  const originMs = timer.now() + initialDelayMs;
  let n = 0;
  return new PeriodicTask(timer, callback, initialDelayMs, (fromMs) => {
    n++;
    if (missedRuns === 'coalesce') n = Math.max(n, Math.floor((fromMs - originMs) / periodMs) + 1);
    return originMs + n * periodMs - timer.now();
  });
}

/** @throws TypeError, RangeError (Node's codes) for a bad argument. */
export function fixedDelayTask(
  timer: Timer,
  callback: () => unknown,
  delayMs: number,
  options: FixedDelayOptions | undefined,
): TimerTask {
  requiredFunction('callback', callback);
  requiredNumber('delayMs', delayMs, DELAY);
  const { initialDelayMs = delayMs } = readOptions('a periodic task', options, OPTIONS);
  return new PeriodicTask(timer, callback, initialDelayMs, () => delayMs);
}
