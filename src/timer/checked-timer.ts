// The rule for a timer that a user shares with a purgatory, with replies or with a signal.
import { invalidArgType, invalidArgValue } from '../base/node-errors.ts';
import { SystemTimer } from './system-timer.ts';
import type { SystemTimerOptions } from './system-timer-options.ts';
import type { Timer } from './timer.ts';

/**
 * Returns `timer`. `clock`, if it is given, may be the clock that this timer reads.
 * @throws TypeError with ERR_INVALID_ARG_TYPE when it has not the methods of one, with
 *   ERR_INVALID_ARG_VALUE for another clock.
 */
export function checkedTimer(timer: Timer & { clock?: unknown }, clock?: unknown): Timer {
  if (
    typeof timer?.add !== 'function' ||
    typeof timer.remove !== 'function' ||
    typeof timer.advanceClock !== 'function'
  ) {
    throw invalidArgType('options.timer', 'a Timer, with the methods add, remove and advanceClock', timer);
  }
  if (clock !== undefined && timer.clock !== undefined && clock !== timer.clock) {
    const why = 'must not be given beside options.timer, unless it is the clock of that timer';
    throw invalidArgValue('options.clock', why, clock);
  }
  return timer;
}

const OF_ITS_OWN = ['tickMs', 'wheelSize', 'reaper', 'sliceMs', 'maxPending'] as const;

/**
 * The timer that was given to share, or a new one by the other options. Those options are refused
 * beside a shared timer, which would ignore them. `clock` may be the clock that this timer reads.
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, RangeError with
 *   ERR_OUT_OF_RANGE for a bad option.
 */
export function sharedOrOwnTimer({
  timer,
  ...given
}: { timer?: Timer | undefined } & SystemTimerOptions): Timer {
  const { tickMs, wheelSize, clock, reaper, sliceMs, maxPending, onError } = given;
  const options = { tickMs, wheelSize, clock, reaper, sliceMs, maxPending, onError };
  if (timer === undefined) return new SystemTimer(options);
  const shared = checkedTimer(timer, clock);
  for (const name of OF_ITS_OWN) {
    if (options[name] !== undefined) {
      const why =
        'must not be given beside options.timer: it is an option of the timer that is made without it';
      throw invalidArgValue(`options.${name}`, why, options[name]);
    }
  }
  return shared;
}
