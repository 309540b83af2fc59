// The rule for the delay of a task that enters a timer. (TimerTask's own is wider: only a parked operation may have Infinity.)
import { invalidArgType, outOfRange } from '../errors.ts';

/**
 * `delayMs`, 0 for a negative one. O(1).
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE: no number.
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
