// The options of every kind of purgatory and of its waits, and their checks.
import {
  checkedFunction,
  checkedNumber,
  checkedSignal,
  checkedTimeout,
  LIMIT,
  requiredOptions,
  requiredString,
} from '../base/checks.ts';
import { knownOptions, type OptionNames } from '../base/unread-options.ts';
import { type BusLinkOptions, type CheckedBusLink, checkedBusLink } from '../bus/membership/bus-link.ts';
import { SLICE_MS, type SystemTimerOptions, TIMER_OPTIONS } from '../timer/system-timer-options.ts';
import type { Timer } from '../timer/timer.ts';
import { sharedOrOwnTimer } from '../timer/timer-option.ts';
import { DEFAULT_SLICE_MS } from '../turns/scheduler.ts';
import type { DelayedOperation } from './delayed-operation.ts';

/**
 * The options of a {@link Purgatory}; all may be left out. Those of {@link SystemTimerOptions} are
 * for its own timer. Beside `timer` they are refused, except `sliceMs`, which is for events too.
 */
export interface PurgatoryOptions<Op extends DelayedOperation = DelayedOperation>
  extends Omit<SystemTimerOptions, 'onError'>,
    BusLinkOptions {
  /** A timer to share with others. Default: a SystemTimer of its own, closed with it. */
  timer?: Timer | undefined;
  /**
   * The most operations and waits parked at once: an integer >= 1, or Infinity. Default Infinity.
   */
  maxParked?: number | undefined;
  /**
   * Gets what user code throws inside a pass or an expiry. Default: it is thrown in a later turn,
   * as an uncaught exception.
   */
  onError?: ((error: unknown, op: Op) => void) | undefined;
}

/** The options of a wait. */
export interface WaitOptions {
  /**
   * The deadline in ms from now. Infinity means none: then the wait is in no timer, and does not
   * keep the process alive.
   */
  timeoutMs: number;
  /** Gives up the wait: the promise is rejected with `signal.reason`. */
  signal?: AbortSignal | undefined;
  /** For people: snapshots and the inspector show it with the wait. */
  label?: string | undefined;
}

/**
 * What a purgatory is made of: its options with their defaults, and the timer that they ask for.
 */
export interface CheckedPurgatoryOptions {
  readonly name: string;
  readonly timer: Timer;
  readonly ownsTimer: boolean;
  readonly maxParked: number;
  readonly sliceMs: number;
  readonly onError: ((error: unknown, op: DelayedOperation) => void) | undefined;
  readonly link: CheckedBusLink | undefined;
}

/** The names of the options of a Purgatory. */
export const PURGATORY_OPTIONS: OptionNames<PurgatoryOptions> = {
  ...TIMER_OPTIONS,
  timer: true,
  maxParked: true,
  bus: true,
  sweepMs: true,
};
const WAIT_OPTIONS: OptionNames<WaitOptions> = { timeoutMs: true, signal: true, label: true };

/**
 * Every option, checked, with its default. @throws TypeError, RangeError (Node's codes) for a bad
 * name or option.
 */
export function checkedPurgatoryOptions<Op extends DelayedOperation>(
  name: string,
  options: PurgatoryOptions<Op> | undefined,
  names: OptionNames<PurgatoryOptions> = PURGATORY_OPTIONS,
): CheckedPurgatoryOptions {
  requiredString('name', name);
  const given = knownOptions(`purgatory "${name}"`, options, names);
  const maxParked = checkedNumber('options.maxParked', given.maxParked, Infinity, LIMIT);
  const { onError, sliceMs, ...timerOptions } = given;
  checkedFunction('options.onError', onError);
  const checkedSliceMs = checkedNumber('options.sliceMs', sliceMs, DEFAULT_SLICE_MS, SLICE_MS);
  const timer = sharedOrOwnTimer(given.timer === undefined ? { ...timerOptions, sliceMs } : timerOptions);
  return {
    name,
    maxParked,
    sliceMs: checkedSliceMs,
    // Nothing but operations of type Op gets into the parking, except waits, which throw nothing.
    // (A failed `current` of a ThresholdPurgatory may report one.)
    onError: onError as CheckedPurgatoryOptions['onError'],
    ownsTimer: given.timer === undefined,
    timer,
    link: checkedBusLink(given, timer),
  };
}

/** The options of a wait, checked. */
export interface CheckedWaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly label: string | undefined;
}

/**
 * @throws TypeError ERR_INVALID_ARG_TYPE, RangeError ERR_OUT_OF_RANGE for options that no wait can
 *   be made of.
 */
export function checkedWaitOptions(
  options: WaitOptions,
  names: OptionNames<WaitOptions> = WAIT_OPTIONS,
): CheckedWaitOptions {
  const { timeoutMs, signal, label } = requiredOptions('options', options);
  knownOptions('a wait', options, names);
  if (label !== undefined) requiredString('options.label', label);
  return {
    timeoutMs: checkedTimeout('options.timeoutMs', timeoutMs),
    signal: checkedSignal('options.signal', signal),
    label,
  };
}
