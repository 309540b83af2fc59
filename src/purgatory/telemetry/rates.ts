// Rates per second, from totals that are read now and then.
//
// Ground rules. It keeps at most a dozen samples of the totals. A sample is taken by
// `at`, and never by a timer: so rates that are never read cost nothing. `at` compares with
// the oldest sample of the last ten seconds that is at least a second old. Without one, it compares
// with the newest sample before those; at first that is the beginning. `overMs` says over which
// time the rates are averaged.

/** How operations left their purgatory, counted since it was made. */
export interface PurgatoryTotals {
  /** Entered: those that left, and those that are parked now. */
  parked: number;
  /** Answered before the deadline: by an event, or forced. */
  completed: number;
  /** Answered by the deadline. */
  expired: number;
  /** Taken out unanswered: cancelled, aborted or closed. */
  cancelled: number;
  /** Taken out unanswered, because its own condition threw, or its load failed. */
  rejected: number;
  /**
   * Throws of user code that were reported. The operation counts as completed, expired or still
   * parked besides.
   */
  failed: number;
}

/** Per second, over the last `overMs`. */
export interface PurgatoryRates extends PurgatoryTotals {
  /**
   * What the rates are averaged over: 1 to 10 s where snapshots are taken that often, else since
   * the last one before.
   */
  overMs: number;
}

interface Sample {
  readonly atMs: number;
  /** Those that are left out were 0. */
  readonly totals: Partial<PurgatoryTotals>;
}

const MIN_WINDOW_MS = 1_000;
const MAX_WINDOW_MS = 10_000;

export class Rates {
  readonly #samples: Sample[];

  constructor(nowMs: number) {
    this.#samples = [{ atMs: nowMs, totals: {} }];
  }

  /** The rates at `nowMs`, when the totals are `totals`. */
  at(nowMs: number, totals: PurgatoryTotals): PurgatoryRates {
    const samples = this.#samples;
    while (samples.length > 1 && nowMs - samples[0].atMs > MAX_WINDOW_MS && isOld(samples[1], nowMs)) {
      samples.shift();
    }
    const [base] = samples;
    if (isOld(samples[samples.length - 1], nowMs)) samples.push({ atMs: nowMs, totals });
    const overMs = nowMs - base.atMs;
    const rates = { overMs, ...totals };
    for (const name of Object.keys(totals) as (keyof PurgatoryTotals)[]) {
      rates[name] = overMs === 0 ? 0 : ((totals[name] - (base.totals[name] ?? 0)) * 1_000) / overMs;
    }
    return rates;
  }
}

function isOld(sample: Sample, nowMs: number): boolean {
  return nowMs - sample.atMs >= MIN_WINDOW_MS;
}
