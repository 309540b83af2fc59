// A histogram of durations, in powers of two, with their sum and maximum.
//
// Ground rules. It owns its counts, and does not know what they count. `note` is O(1) and takes a
// few ns: a timer calls it for every task that runs.

/** A histogram at one moment, in ms. */
export interface DurationSnapshot {
  /** The last duration. */
  lastMs: number;
  maxMs: number;
  meanMs: number;
  sumMs: number;
  histogram: {
    /** The upper bounds of the bins, inclusive: 1, 2, 4 ... */
    leMs: number[];
    /**
     * One count for each bin, not cumulated. The last, beyond the bounds, is for all longer
     * durations.
     */
    counts: number[];
  };
}

export class DurationHistogram {
  readonly #counts: Float64Array;
  readonly #maxBoundMs: number = 0;
  #lastMs = 0;
  #maxMs = 0;
  #sumMs = 0;

  /** @param bounds how many bounds: 1, 2, ... 2^(bounds - 1) ms. At most 31. */
  constructor(bounds: number) {
    this.#counts = new Float64Array(bounds + 1);
    this.#maxBoundMs = 2 ** (bounds - 1);
  }

  note(ms: number): void {
    this.#lastMs = ms;
    this.#sumMs += ms;
    if (ms > this.#maxMs) this.#maxMs = ms;
    this.#counts[ms <= 1 ? 0 : this.#binOf(ms)]++;
  }

  /** How many durations were noted. O(bins). */
  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  snapshot(): DurationSnapshot {
    const count = this.count;
    return {
      lastMs: this.#lastMs,
      maxMs: this.#maxMs,
      meanMs: count === 0 ? 0 : this.#sumMs / count,
      sumMs: this.#sumMs,
      histogram: {
        leMs: Array.from({ length: this.#counts.length - 1 }, (_, bin) => 2 ** bin),
        counts: [...this.#counts],
      },
    };
  }

  /** The first bin whose bound, 2^bin, is `ms` or more. */
  #binOf(ms: number): number {
    return ms > this.#maxBoundMs ? this.#counts.length - 1 : 32 - Math.clz32(Math.ceil(ms) - 1);
  }
}

/**
 * The bound in ms within which `share` of the durations are: Infinity past the last bin, undefined
 * when there are none. O(bins).
 *
 * @param counts may be the difference of two snapshots.
 */
export function quantile(
  leMs: readonly number[],
  counts: readonly number[],
  share: number,
): number | undefined {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return undefined;
  let seen = 0;
  const bin = counts.findIndex((count) => {
    seen += count;
    return seen >= share * all;
  });
  return leMs[bin] ?? Number.POSITIVE_INFINITY;
}
