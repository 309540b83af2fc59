// A delay as setTimeout takes it: anything that can be multiplied.

/**
 * `delay` in ms as a number from 1 to Number.MAX_SAFE_INTEGER. A delay below 1, or one that gives
 * no number, counts as 1, as in Node.
 * @throws TypeError for a BigInt or a Symbol, as Node.
 */
export function coercedDelay(delay: unknown): number {
  const delayMs = typeof delay === 'number' ? delay : (delay as number) * 1;
  return delayMs >= 1 ? Math.min(delayMs, Number.MAX_SAFE_INTEGER) : 1;
}
