// The options that a Semaphore and Queues share: those of a purgatory that runs no user code and
// is on no bus.
import { knownOptions, type OptionNames } from '../../base/unread-options.ts';
import { type CheckedPurgatoryOptions, checkedPurgatoryOptions } from '../../purgatory/purgatory-options.ts';
import { type SystemTimerOptions, TIMER_OPTIONS } from '../../timer/system-timer-options.ts';
import type { Timer } from '../../timer/timer.ts';

/**
 * Those of {@link SystemTimerOptions} are for its own timer. Beside `timer` they are refused, except
 * `sliceMs`, which is for hand-overs too.
 */
export interface LinesOptions extends Omit<SystemTimerOptions, 'onError'> {
  /** A timer to share with others. Default: a SystemTimer of its own, closed with it. */
  timer?: Timer | undefined;
  /** The most waits at once: an integer >= 1, or Infinity. Default Infinity. */
  maxParked?: number | undefined;
}

const { onError: _, ...OWN_TIMER_OPTIONS } = TIMER_OPTIONS;

/** The names of the options. */
export const LINES_OPTIONS: OptionNames<LinesOptions> = {
  ...OWN_TIMER_OPTIONS,
  timer: true,
  maxParked: true,
};

/**
 * @param of what the options are for.
 * @param names of all options.
 * @throws TypeError, RangeError (Node's codes) for a bad name or option.
 */
export function checkedLinesOptions<Options extends LinesOptions>(
  of: string,
  name: string,
  options: Partial<Options> | undefined,
  names: OptionNames<Options>,
): CheckedPurgatoryOptions {
  const given: LinesOptions = knownOptions(`${of} "${name}"`, options as Options | undefined, names);
  const own = Object.keys(LINES_OPTIONS) as (keyof LinesOptions)[];
  return checkedPurgatoryOptions(name, Object.fromEntries(own.map((each) => [each, given[each]])));
}
