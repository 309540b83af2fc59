// The option `timer` of all that waits by a timer: one to share, or else a SystemTimer of its own.
import { invalidArgType, invalidArgValue } from '../base/node-errors.ts';
import { asGiven, type Exactly, type Rules } from '../base/options.ts';
import type { Clock } from '../clock/clock.ts';
import { SystemTimer } from './system-timer.ts';
import type { SystemTimerOptions } from './system-timer-options.ts';
import { Timer } from './timer.ts';

/**
 * For a timer that a user shares with a purgatory, with replies or with a signal. Returns it.
 * `clock`, if it is given, may be the clock that this timer reads.
 * @throws TypeError with ERR_INVALID_ARG_TYPE when it is none of the library's, with
 *   ERR_INVALID_ARG_VALUE for another clock.
 */
export function checkedTimer(timer: Timer, clock?: Clock): Timer {
  if (!(timer instanceof Timer)) {
    const rule = 'an instance of SystemTimer, or of purgatory/schemes';
    // A bundler, or a hot reload, may load the package twice: then each copy has classes of its own.
    const isOfAnotherCopy = typeof (timer as Timer | undefined)?.schedule === 'function';
    const ofThisCopy = ', of this copy of the package: two are loaded (docs/bundlers-and-jest.md)';
    throw invalidArgType('options.timer', isOfAnotherCopy ? rule + ofThisCopy : rule, timer);
  }
  if (clock !== undefined && clock !== timer.clock) {
    const why = 'must not be given beside options.timer, unless it is the clock of that timer';
    throw invalidArgValue('options.clock', why, clock);
  }
  return timer;
}

/** The options of what has a timer: one to share, or those of its own. */
export interface TimerChoice extends Omit<SystemTimerOptions, 'onError'> {
  /** A timer to share with others. Default: a SystemTimer of its own, closed with it. */
  timer?: Timer | undefined;
}

/** They are checked by {@link sharedOrOwnTimer}. */
export const TIMER_CHOICE: Rules<TimerChoice> = {
  timer: asGiven,
  tickMs: asGiven,
  wheelSize: asGiven,
  clock: asGiven,
  reaper: asGiven,
  sliceMs: asGiven,
  maxPending: asGiven,
};

/**
 * The timer that was given to share, or a new one by the other options. Beside a shared timer, which
 * would ignore them, these are refused. `clock` may be the clock that this timer reads.
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, RangeError with
 *   ERR_OUT_OF_RANGE for a bad option.
 */
export function sharedOrOwnTimer<Given extends TimerChoice>(choice: Exactly<TimerChoice, Given>): Timer {
  const { timer, ...own }: TimerChoice = choice;
  if (timer === undefined) return new SystemTimer(own);
  const shared = checkedTimer(timer, own.clock);
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || name === 'clock') continue;
    const why =
      'must not be given beside options.timer: it is an option of the timer that is made without it';
    throw invalidArgValue(`options.${name}`, why, value);
  }
  return shared;
}
