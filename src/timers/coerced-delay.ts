// A delay as setTimeout takes it: anything, without a throw.

/** `delay` in ms as a number from 1 to Number.MAX_SAFE_INTEGER: what is less, or no number, counts as 1, as in Node. */
export function coercedDelay(delay: unknown): number {
  const delayMs = typeof delay === 'number' ? delay : Number(delay);
  return delayMs >= 1 ? Math.min(delayMs, Number.MAX_SAFE_INTEGER) : 1;
}
