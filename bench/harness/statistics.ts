/**
 * Medians, spreads and ratios.
 *
 * A ratio is taken inside each round, ours by the peer's of the same round, and the result is the
 * median of these ratios. A machine that is slow for a minute is slow for both, and the ratio does
 * not change.
 */

export interface Summary {
  median: number;
  min: number;
  max: number;
  values: readonly number[];
}

/**
 * The middle value, or the mean of the two in the middle. Throws a RangeError for no values. O(n
 * log n).
 */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('median() of no values');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The value below which `p` (0 to 1) of the values lie, by the nearest rank. Throws a RangeError
 * for no values.
 */
export function percentile(values: ArrayLike<number>, p: number): number {
  if (values.length === 0) throw new RangeError('percentile() of no values');
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
}

/** Median and spread of the rounds. Throws a RangeError for no values. */
export function summarize(values: readonly number[]): Summary {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), values };
}

/** Ours by the peer's, round by round. The shorter list decides how many rounds count. */
export function pairedRatio(ours: readonly number[], peers: readonly number[]): Summary {
  const rounds = Math.min(ours.length, peers.length);
  return summarize(Array.from({ length: rounds }, (_, round) => ours[round] / peers[round]));
}
