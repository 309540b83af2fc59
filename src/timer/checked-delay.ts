// The rule for the delay of a task that enters a timer. (The rule of TimerTask is wider: a parked
// operation may have Infinity.)
import { invalidArgType, outOfRange } from '../errors.ts';

/**
 * `delayMs`, 0 for a negative one. O(1).
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE: not a number.
 * @throws RangeError with ERR_OUT_OF_RANGE: not finite, or above Number.MAX_SAFE_INTEGER.
 */
export function checkedDelay(delayMs: number): number {
  return delayMs > 0 && delayMs <= Number.MAX_SAFE_INTEGER ? delayMs : checkedUncommon(delayMs);
}

function checkedUncommon(delayMs: number): number {
  if (delayMs <= 0 && delayMs >= -Number.MAX_VALUE) return 0;
  if (typeof delayMs !== 'number') throw invalidArgType('delayMs', 'of type number', delayMs);
  throw outOfRange('delayMs', 'a finite number <= Number.MAX_SAFE_INTEGER', delayMs);
}

/**
 * `timeoutMs`, called `name` by its user; Infinity means without a deadline. O(1).
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE: not a number.
 * @throws RangeError with ERR_OUT_OF_RANGE: NaN, -Infinity, or finite and above
 * Number.MAX_SAFE_INTEGER.
 */
export function checkedTimeout(name: string, timeoutMs: number): number {
  if (typeof timeoutMs !== 'number') throw invalidArgType(name, 'of type number', timeoutMs);
  if (timeoutMs === Number.POSITIVE_INFINITY) return timeoutMs;
  if (timeoutMs <= Number.MAX_SAFE_INTEGER && timeoutMs >= -Number.MAX_VALUE) return timeoutMs;
  throw outOfRange(name, 'a number <= Number.MAX_SAFE_INTEGER, or Infinity', timeoutMs);
}
