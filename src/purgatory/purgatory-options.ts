// The options of every kind of purgatory and of its waits, and their checks.
import {
  checkedFunction,
  checkedSignal,
  checkedTimeout,
  LIMIT,
  requiredOptions,
  requiredString,
} from '../base/checks.ts';
import {
  type Checked,
  type Exactly,
  knownOptions,
  numberOr,
  type OptionNames,
  type Reads,
  type Rules,
} from '../base/options.ts';
import { BUS_LINK_OPTIONS, type BusLinkOptions } from '../bus/membership/bus-link.ts';
import { sliceMs } from '../timer/system-timer-options.ts';
import type { Timer } from '../timer/timer.ts';
import { sharedOrOwnTimer, TIMER_CHOICE, type TimerChoice } from '../timer/timer-option.ts';
import type { DelayedOperation } from './delayed-operation.ts';

/**
 * The options of whatever parks. Those of {@link SystemTimerOptions} are for its own timer. Beside
 * `timer` they are refused, except `sliceMs`, which is for events and hand-overs too.
 */
export interface ParkingOptions extends TimerChoice {
  /**
   * The most operations and waits parked at once: an integer >= 1, or Infinity. Default Infinity.
   */
  maxParked?: number | undefined;
}

/** The options of a {@link Purgatory}; all may be left out. */
export interface PurgatoryOptions<Op extends DelayedOperation = DelayedOperation>
  extends ParkingOptions,
    BusLinkOptions {
  /**
   * Gets what user code throws inside a pass or an expiry. Default: it is thrown in a later turn,
   * as an uncaught exception.
   */
  onError?: ((error: unknown, operation: Op) => void) | undefined;
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

/** {@link ParkingOptions}, checked. The timer checks what is its own. */
export type CheckedParkingOptions = TimerChoice &
  Checked<Omit<ParkingOptions, Exclude<keyof TimerChoice, 'sliceMs'>>>;

/** What a Parking is made of. */
export interface ParkingParts {
  /** Its class and its name, for people. */
  readonly title: string;
  readonly name: string;
  readonly timer: Timer;
  readonly ownsTimer: boolean;
  readonly maxParked: number;
  readonly sliceMs: number;
  readonly onError: ((error: unknown, op: DelayedOperation) => void) | undefined;
}

export const PARKING_OPTIONS: Rules<CheckedParkingOptions> = {
  ...TIMER_CHOICE,
  sliceMs,
  maxParked: numberOr(Number.POSITIVE_INFINITY, LIMIT),
};
export const PURGATORY_OPTIONS: Rules<
  CheckedParkingOptions & Checked<Omit<PurgatoryOptions, keyof ParkingOptions>, 'bus' | 'sweepMs' | 'onError'>
> = {
  ...PARKING_OPTIONS,
  ...BUS_LINK_OPTIONS,
  onError: checkedFunction,
};
/**
 * Makes the timer, or takes the shared one.
 * @throws TypeError, RangeError (Node's codes) for a bad option of it.
 */
export function parkingParts<Given extends CheckedParkingOptions>(
  title: string,
  name: string,
  options: Exactly<CheckedParkingOptions, Given>,
  onError?: (error: unknown, op: never) => void,
): ParkingParts {
  const { maxParked, sliceMs, ...choice }: CheckedParkingOptions = options;
  const ownsTimer = choice.timer === undefined;
  return {
    title,
    name,
    timer: sharedOrOwnTimer(ownsTimer ? { ...choice, sliceMs } : choice),
    ownsTimer,
    maxParked,
    sliceMs,
    // Nothing but operations of the user's type gets into the parking, except waits, which throw
    // nothing. (A failed `current` of a ThresholdPurgatory may report one.)
    onError: onError as ParkingParts['onError'],
  };
}

export const WAIT_OPTIONS: OptionNames<WaitOptions> = { timeoutMs: true, signal: true, label: true };

/** The options of a wait, checked. */
export type CheckedWaitOptions = Checked<WaitOptions, 'signal' | 'label'>;

/** For a kind of wait, which reads them all. */
export type ReadWaitOptions = Reads<CheckedWaitOptions, 'timeoutMs' | 'signal' | 'label'>;

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
