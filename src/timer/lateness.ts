// How late tasks ran: a histogram in powers of two, and what it adds up to.
//
// Ground rules. Lateness is counted from the tick of a task's deadline to the timer's last reading of its clock when the task's turn came. No
// reading is made for it, so of a burst each task is measured by the reading before it: a pass reads when it begins, the reaper at
// least every 32 tasks. `note` is O(1), a few ns: it is called for every task that runs.

/** What a {@link LatenessHistogram} tells: plain numbers, in ms, since the timer was made. */
export interface LatenessSnapshot {
  /** Of the task that ran last. */
  lastMs: number;
  maxMs: number;
  meanMs: number;
  sumMs: number;
  histogram: {
    /** The upper bounds of the bins, inclusive. */
    leMs: number[];
    /** Tasks per bin, not cumulated; one more entry than bounds, for all that were later. */
    counts: number[];
  };
}

/** Bins for up to 1, 2, 4, ... 2^14 ms, and one for what is later. */
const BINS = 16;

export class LatenessHistogram {
  readonly #counts = new Float64Array(BINS);
  #lastMs = 0;
  #maxMs = 0;
  #sumMs = 0;

  note(lateMs: number): void {
    this.#lastMs = lateMs;
    this.#sumMs += lateMs;
    if (lateMs > this.#maxMs) this.#maxMs = lateMs;
    this.#counts[lateMs <= 1 ? 0 : binOf(lateMs)]++;
  }

  /** How many lateness values were noted. O(bins). */
  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  snapshot(): LatenessSnapshot {
    const count = this.count;
    return {
      lastMs: this.#lastMs,
      maxMs: this.#maxMs,
      meanMs: count === 0 ? 0 : this.#sumMs / count,
      sumMs: this.#sumMs,
      histogram: {
        leMs: Array.from({ length: BINS - 1 }, (_, bin) => 2 ** bin),
        counts: [...this.#counts],
      },
    };
  }
}

/** The first bin whose bound 2^bin is not below `lateMs`. */
function binOf(lateMs: number): number {
  if (lateMs > 2 ** (BINS - 2)) return BINS - 1;
  return 32 - Math.clz32(Math.ceil(lateMs) - 1);
}
