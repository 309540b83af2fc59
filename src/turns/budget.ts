// How much may be done in a row before the event loop gets its turn.
//
// Ground rules. A slice owns a budget of time and nothing else. A timer begins it, and asks after
// each task whether it is spent. It reads the clock each time (`npm run bench -- limits` prints
// that cost). To read it less often while tasks are short was tried: one long task after many short
// ones then blocked the loop for several slices.
import type { Clock } from '../clock/clock.ts';

/**
 * Work that follows the last within less than this may be in the same turn: between two turns the
 * loop polls, and that takes about as long. A step of a ManualClock is no less: work after it never
 * goes on with what time the steps before took.
 */
export const PAUSE_MS = 1;

/** Steps that try nothing take so little that the clock need not be read after each. */
const STEPS_PER_READING = 64;

/** A budget of time for a run of tasks. Only the last task can exceed it. */
export class Slice {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #sliceMs: number = 0;
  endMs = 0;

  constructor(clock: Pick<Clock, 'now'>, sliceMs: number) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
  }

  begin(nowMs: number): void {
    this.endMs = nowMs + this.#sliceMs;
  }

  /** Whether the budget is spent. To be called after each task. */
  isSpent(): boolean {
    return this.#clock.now() >= this.endMs;
  }
}

/** As a {@link Slice}, of tries too. For steps that run tries, many of them in vain. */
export class Budget {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #sliceMs: number;
  readonly #tries: number;
  #endMs = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #triesLeft = 0;
  #stepsUnread = 0;

  constructor(clock: Pick<Clock, 'now'>, sliceMs: number, tries: number) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
    this.#tries = tries;
  }

  /** A new turn of the loop begins. */
  begin(nowMs: number): void {
    this.#lastMs = nowMs;
    this.#endMs = nowMs + this.#sliceMs;
    this.#triesLeft = this.#tries;
    this.#stepsUnread = 0;
  }

  /** Begins, unless the last reading may be of the same turn: then what is left of it is left. */
  goOn(nowMs: number): void {
    if (nowMs - this.#lastMs < PAUSE_MS) this.#lastMs = nowMs;
    else this.begin(nowMs);
  }

  /** Counts a step that made so many tries. Whether the time or the tries are spent. */
  isSpentBy(tries: number): boolean {
    if (tries === 0 && ++this.#stepsUnread < STEPS_PER_READING) return false;
    this.#stepsUnread = 0;
    this.#triesLeft -= tries;
    this.#lastMs = this.#clock.now();
    return this.#triesLeft <= 0 || this.#lastMs >= this.#endMs;
  }
}
