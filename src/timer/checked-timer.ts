// The rule for a timer that a user shares with a purgatory, with replies or with a signal.
import { invalidArgType } from '../errors.ts';
import type { Timer } from './timer.ts';

/**
 * Returns `timer`.
 * @throws TypeError with ERR_INVALID_ARG_TYPE when it has not the methods of one.
 */
export function checkedTimer(timer: Timer): Timer {
  if (
    typeof timer?.add !== 'function' ||
    typeof timer.remove !== 'function' ||
    typeof timer.advanceClock !== 'function'
  ) {
    throw invalidArgType('options.timer', 'a Timer, with the methods add, remove and advanceClock', timer);
  }
  return timer;
}
