// How long timers that share a slice may take in a turn of the loop: no task begins when its slice
// is spent, no batch goes on past the next microtask, and there is a slice for each turn.
//
// The engine says when its slice began. Its turns end somewhere between two of the test. So a turn
// of the test may have the rest of one slice and all of the next.
import { systemClock } from '../../src/index.ts';
import { MAX_ANSWERS, type Scheduler, schedulerOf } from '../../src/turns/scheduler.ts';

const MOST_SLICES = 2;

export class TurnBound {
  readonly #slices: readonly number[];
  readonly #fail: (wrong: string) => void;
  readonly #scheduler: Scheduler = schedulerOf({ clock: systemClock });
  /** How many slices may be used in this turn. */
  #slicesLeft = MOST_SLICES;
  /** What tasks and their microtasks took in the turn, in ms. */
  #usedMs = 0;
  #longestBatchMs = 0;
  #batch: { readonly usedMs: number; tasks: number } | undefined;
  #isBatchOpen = false;

  constructor(slices: readonly number[], fail: (wrong: string) => void) {
    this.#slices = slices;
    this.#fail = fail;
  }

  /** A task of that timer begins, and no advanceClock runs it. */
  willRun(timer: number, nowMs: number): void {
    const usedMs = nowMs - this.#scheduler.beganMs;
    const sliceMs = this.#slices[timer];
    if (usedMs >= sliceMs) this.#fail(`timer ${timer} runs a task after ${usedMs} ms of ${sliceMs}`);
    if (!this.#isBatchOpen) {
      this.#batch = { usedMs: this.#usedMs, tasks: 0 };
      this.#isBatchOpen = true;
      queueMicrotask(() => {
        this.#isBatchOpen = false;
      });
    }
    const batch = this.#batch;
    if (batch === undefined) return;
    if (++batch.tasks > MAX_ANSWERS) this.#fail(`${batch.tasks} tasks run before the microtasks`);
  }

  /** A task, or a microtask after it, took so long. */
  took(ms: number): void {
    this.#usedMs += ms;
    const batchMs = this.#usedMs - (this.#batch?.usedMs ?? 0);
    this.#longestBatchMs = Math.max(this.#longestBatchMs, batchMs);
  }

  /** The turn is over. */
  check(): void {
    const sliceMs = Math.max(...this.#slices) + this.#longestBatchMs;
    const slices = this.#usedMs > 0 ? this.#usedMs / sliceMs : 0;
    if (slices > this.#slicesLeft) this.#fail(`a turn takes ${this.#usedMs} ms, in slices of ${sliceMs}`);
    this.#slicesLeft = Math.min(MOST_SLICES, this.#slicesLeft - slices + 1);
    this.#usedMs = 0;
    this.#longestBatchMs = 0;
    this.#batch = undefined;
  }
}
