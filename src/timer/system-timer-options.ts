// The options of a SystemTimer, and their defaults.
//
// The defaults are measured by `npm run bench -- defaults` (bench/defaults.ts). tickMs 1: a host
// timer is no finer, and a coarser tick makes nothing faster. wheelSize 512: the least with which a
// task of the usual timeouts (up to 4 minutes) cascades once at most. sliceMs: turns/scheduler.ts.
import {
  checkedBoolean,
  checkedClock,
  checkedFunction,
  checkedNumber,
  LIMIT,
  type NumberRule,
} from '../base/checks.ts';
import { knownOptions, type OptionNames } from '../base/unread-options.ts';
import type { Clock } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import { DEFAULT_SLICE_MS } from '../turns/scheduler.ts';
import type { TimerTask } from './timer-task.ts';

/** The options of a {@link SystemTimer}. All are optional. */
export interface SystemTimerOptions {
  /** The tick in ms: an integer from 1 to 2^31 - 1. Default 1. */
  tickMs?: number | undefined;
  /** Buckets per wheel: an integer from 2 to 65,536, rounded up to a power of two. Default 512. */
  wheelSize?: number | undefined;
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

/** The rule for `tickMs`: an integer that a host timer can wait for. */
export const TICK_MS: NumberRule = { min: 1, max: 2 ** 31 - 1, integer: true };
/** The rule for `wheelSize`. */
export const WHEEL_SIZE: NumberRule = { min: 2, max: 2 ** 16, integer: true };
/** The rule for `sliceMs`. */
export const SLICE_MS: NumberRule = { min: Number.MIN_VALUE, max: Number.MAX_SAFE_INTEGER, orInfinity: true };
/** The names of the options of a SystemTimer. */
export const TIMER_OPTIONS: OptionNames<SystemTimerOptions> = {
  tickMs: true,
  wheelSize: true,
  clock: true,
  reaper: true,
  sliceMs: true,
  maxPending: true,
  onError: true,
};

/** Every option, with its default where none was given. */
export type CheckedTimerOptions = Required<Omit<SystemTimerOptions, 'onError'>> &
  Pick<SystemTimerOptions, 'onError'>;

/**
 * Every option, checked, or its default.
 * @throws TypeError, RangeError (Node's codes) for a bad one.
 */
export function checkedTimerOptions(options: SystemTimerOptions | undefined): CheckedTimerOptions {
  const given = knownOptions('a timer', options, TIMER_OPTIONS);
  return {
    tickMs: checkedNumber('options.tickMs', given.tickMs, 1, TICK_MS),
    wheelSize: checkedNumber('options.wheelSize', given.wheelSize, 512, WHEEL_SIZE),
    sliceMs: checkedNumber('options.sliceMs', given.sliceMs, DEFAULT_SLICE_MS, SLICE_MS),
    maxPending: checkedNumber('options.maxPending', given.maxPending, Number.POSITIVE_INFINITY, LIMIT),
    reaper: checkedBoolean('options.reaper', given.reaper, true),
    clock: checkedClock(given.clock, systemClock),
    onError: checkedFunction('options.onError', given.onError),
  };
}
