// The options of a SystemTimer, and their defaults.
//
// The defaults are measured by `npm run bench -- defaults` (bench/defaults.ts). tickMs 1: a host
// timer is no finer, and a coarser tick makes nothing faster. wheelSize 512: the least with which a
// task of the usual timeouts (up to 4 minutes) cascades once at most. sliceMs: turns/scheduler.ts.
import { checkedFunction, LIMIT, type NumberRule } from '../base/checks.ts';
import {
  booleanOr,
  type Checked,
  clockOr,
  numberOr,
  type Rule,
  type Rules,
  readOptions,
} from '../base/options.ts';
import type { Clock } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import { DEFAULT_SLICE_MS } from '../turns/scheduler.ts';
import type { TimerTask } from './timer-task.ts';

/** The options of every timer. All are optional. */
export interface TimerOptions {
  /** The tick in ms: an integer from 1 to 2^31 - 1. Default 1. */
  tickMs?: number | undefined;
  /** The source of time. Default {@link systemClock}. */
  clock?: Clock | undefined;
  /** False: no task runs before a call of `advanceClock()`. Default true. */
  reaper?: boolean | undefined;
  /**
   * How long tasks run in one turn before the reaper yields to the event loop, in ms. On the system
   * clock, other timers and events of the same turn count too. Infinity: it never yields. Default
   * 5.
   */
  sliceMs?: number | undefined;
  /** The most tasks pending at once: an integer >= 1, or Infinity. Default Infinity. */
  maxPending?: number | undefined;
  /**
   * Is called with the error when a task throws. Default: it is thrown in a later turn, as an
   * uncaught exception.
   */
  onError?: ((error: unknown, task: TimerTask) => void) | undefined;
}

/** The options of a {@link SystemTimer}. All are optional. */
export interface SystemTimerOptions extends TimerOptions {
  /** Buckets per wheel: an integer from 2 to 65,536, rounded up to a power of two. Default 512. */
  wheelSize?: number | undefined;
}

/** The rule for `tickMs`: an integer that a host timer can wait for. */
export const TICK_MS: NumberRule = { min: 1, max: 2 ** 31 - 1, integer: true };
/** The rule for `wheelSize`. */
export const WHEEL_SIZE: NumberRule = { min: 2, max: 2 ** 16, integer: true };
/** The option `sliceMs`, also of what is no timer. */
export const sliceMs: Rule<number> = numberOr(DEFAULT_SLICE_MS, {
  min: Number.MIN_VALUE,
  max: Number.MAX_SAFE_INTEGER,
  orInfinity: true,
});

/** What a Timer is made of. */
export type CheckedTimerOptions = Checked<TimerOptions, 'onError'>;

const TIMER_OPTIONS: Rules<CheckedTimerOptions> = {
  tickMs: numberOr(1, TICK_MS),
  clock: clockOr(systemClock),
  reaper: booleanOr(true),
  sliceMs,
  maxPending: numberOr(Number.POSITIVE_INFINITY, LIMIT),
  onError: checkedFunction,
};
export const SYSTEM_TIMER_OPTIONS: Rules<Checked<SystemTimerOptions, 'onError'>> = {
  ...TIMER_OPTIONS,
  wheelSize: numberOr(512, WHEEL_SIZE),
};

/** @throws TypeError, RangeError (Node's codes) for a bad option. */
export function checkedTimerOptions(options: TimerOptions | undefined): CheckedTimerOptions {
  return readOptions('a timer', options, TIMER_OPTIONS);
}
