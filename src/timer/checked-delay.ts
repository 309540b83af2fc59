// The rule for the delay of a task that enters a timer. (The rule of TimerTask is wider: a parked
// operation may have Infinity.)
import { requiredNumber } from '../base/checks.ts';
import { debug, isDebugging } from '../base/debug.ts';

const FINITE_MS = { min: -Number.MAX_VALUE, max: Number.MAX_SAFE_INTEGER } as const;
const TIMEOUT_MS = { ...FINITE_MS, orInfinity: true } as const;
/** In ms, three years: a longer timeout is more likely a date. */
const LIKE_A_DATE = 1e11;

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
  return delayMs <= 0 && delayMs >= -Number.MAX_VALUE ? 0 : requiredNumber('delayMs', delayMs, FINITE_MS);
}

/**
 * `timeoutMs`, called `name` by its user; Infinity means without a deadline. One that looks like a
 * date is told to developers who ask for it (NODE_DEBUG=purgatory). O(1).
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE: not a number.
 * @throws RangeError with ERR_OUT_OF_RANGE: NaN, -Infinity, or finite and above
 * Number.MAX_SAFE_INTEGER.
 */
export function checkedTimeout(name: string, timeoutMs: number): number {
  return hintAtDate(name, requiredNumber(name, timeoutMs, TIMEOUT_MS));
}

/** `timeoutMs`. One that looks like a date is told to developers who ask for it. */
export function hintAtDate(name: string, timeoutMs: number): number {
  if (isDebugging && timeoutMs > LIKE_A_DATE && timeoutMs !== Number.POSITIVE_INFINITY) {
    debug('%s is %d, which looks like a date: it counts from now', name, timeoutMs);
  }
  return timeoutMs;
}
