// Tasks that come again: java.util.concurrent's scheduleAtFixedRate and scheduleWithFixedDelay.
//
// Ground rules. A periodic task is one TimerTask for the whole series: it adds itself again BEFORE it calls the user, so it is
// pending all the while, keeps its place under `maxPending`, and `cancel()` ends the series from anywhere, the callback and the
// timer's `onError` included. A callback that throws reaches `onError` (or an uncaught exception) as any task's does, and the
// series goes on. (ScheduledThreadPoolExecutor ends it in silence; java.util.Timer dies of it.)
//
// Fixed rate is reckoned from the origin, the first deadline, as origin + n * period: the lateness of a run, a fraction of a ms in
// the period and the timer's tick move no later run. Fixed delay counts from the end of the callback. Each run costs one `add`.
import type { Clock } from '../clock/clock.ts';
import { checkedNumber, checkedOptions, invalidArgType, invalidArgValue } from '../errors.ts';
import type { Timer } from './timer.ts';
import { TimerTask } from './timer-task.ts';

/** The options of {@link SystemTimer.scheduleWithFixedDelay}. */
export interface FixedDelayOptions {
  /** The delay of the first run in ms, from 0. Default: as between the runs. */
  initialDelayMs?: number;
}

/** The options of {@link SystemTimer.scheduleAtFixedRate}. */
export interface FixedRateOptions extends FixedDelayOptions {
  /**
   * What becomes of the runs whose time passed while the machine was suspended, the process busy or the timer not advanced.
   * `coalesce`, the default: one run stands for all of them, and the next is the first that is still to come.
   * `makeUp`: each is run, one a turn (or one an `advanceClock()`), until the series has caught up, as in Java.
   */
  missedRuns?: 'coalesce' | 'makeUp';
}

/** No tick is finer than a millisecond, so no shorter period could be kept. */
const PERIOD = { min: 1, max: Number.MAX_SAFE_INTEGER } as const;
const DELAY = { min: 0, max: Number.MAX_SAFE_INTEGER } as const;

abstract class PeriodicTask extends TimerTask {
  protected readonly timer: Timer;
  protected readonly callback: () => void;

  constructor(timer: Timer, callback: () => void, initialDelayMs: number) {
    super(initialDelayMs);
    this.timer = timer;
    this.callback = callback;
  }

  /** A timer reads `delayMs` once in each add: between them it may change. */
  protected addAfter(delayMs: number): void {
    (this as { delayMs: number }).delayMs = delayMs;
    this.timer.add(this);
  }
}

export class FixedRateTask extends PeriodicTask {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #makesUp: boolean;
  readonly #originMs: number;
  /** The number of the next run, from 0. */
  #n = 0;

  /** @throws TypeError, RangeError (Node's codes) for a bad argument. */
  constructor(
    timer: Timer,
    clock: Clock,
    callback: () => void,
    periodMs: number,
    options: FixedRateOptions | undefined,
  ) {
    const { missedRuns = 'coalesce' } = checkedOptions(options);
    if (missedRuns !== 'coalesce' && missedRuns !== 'makeUp') {
      throw invalidArgValue('options.missedRuns', "must be 'coalesce' or 'makeUp'", missedRuns);
    }
    super(timer, callback, initialDelay(callback, 'periodMs', periodMs, PERIOD, options));
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#makesUp = missedRuns === 'makeUp';
    this.#originMs = clock.now() + this.delayMs;
  }

  override run(): void {
    // A timer never runs a task early, so a clock that says otherwise went back.
    const nowMs = Math.max(this.#clock.now(), this.#deadlineMs(this.#n));
    this.#n++;
    if (!this.#makesUp && this.#deadlineMs(this.#n) <= nowMs) {
      this.#n = Math.floor((nowMs - this.#originMs) / this.#periodMs);
      while (this.#deadlineMs(this.#n) <= nowMs) this.#n++;
    }
    this.addAfter(this.#deadlineMs(this.#n) - nowMs);
    const { callback } = this;
    callback();
  }

  #deadlineMs(n: number): number {
    return this.#originMs + n * this.#periodMs;
  }
}

export class FixedDelayTask extends PeriodicTask {
  readonly #delayMs: number;

  /** @throws TypeError, RangeError (Node's codes) for a bad argument. */
  constructor(timer: Timer, callback: () => void, delayMs: number, options: FixedDelayOptions | undefined) {
    super(timer, callback, initialDelay(callback, 'delayMs', delayMs, DELAY, options));
    this.#delayMs = delayMs;
  }

  override run(): void {
    const { callback } = this;
    this.addAfter(this.#delayMs);
    try {
      callback();
    } finally {
      // Moved, unless the callback ended the series: the delay counts from here.
      if (this.isPending) this.timer.add(this);
    }
  }
}

/** Checks all that both kinds have in common; the delay of the first run. */
function initialDelay(
  callback: unknown,
  name: string,
  betweenMs: unknown,
  rule: { min: number; max: number },
  options: FixedDelayOptions | undefined,
): number {
  if (typeof callback !== 'function') throw invalidArgType('callback', 'of type function', callback);
  if (betweenMs === undefined) throw invalidArgType(name, 'of type number', betweenMs);
  const between = checkedNumber(name, betweenMs, 0, rule);
  return checkedNumber('options.initialDelayMs', checkedOptions(options).initialDelayMs, between, DELAY);
}
