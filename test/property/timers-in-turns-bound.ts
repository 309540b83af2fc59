// How long timers that share a slice may take in a turn of the loop, by the naive reading of the
// rule: no task begins when its slice is spent, and no batch goes on past the next microtask.
//
// A turn has one slice, which begins when the test has acted. When the poll takes PAUSE_MS or more,
// the timers of the host have another. Tries of events may be outside of any slice (startUnread), so
// what they take counts as if the slice began after them. This never says that a slice began
// before it did: so what the timers may do is never forbidden.
import { MAX_ANSWERS } from '../../src/turns/batch.ts';

export class TurnBound {
  readonly #slices: readonly number[];
  readonly #fail: (wrong: string) => void;
  #beganMs = 0;
  /** Slices of the turn, and what tasks and their microtasks took in it, in ms. */
  #count = 1;
  #usedMs = 0;
  #longestBatchMs = 0;
  #batch: { readonly usedMs: number; tasks: number } | undefined;
  #isBatchOpen = false;
  #hasRun = false;
  #hasTried = false;

  constructor(slices: readonly number[], fail: (wrong: string) => void) {
    this.#slices = slices;
    this.#fail = fail;
  }

  /** A turn begins. */
  begin(nowMs: number): void {
    this.#beganMs = nowMs;
    this.#count = 1;
    this.#usedMs = 0;
    this.#longestBatchMs = 0;
    this.#batch = undefined;
    this.#hasRun = false;
    this.#hasTried = false;
  }

  polled(nowMs: number, isPause: boolean): void {
    if (this.#hasRun && !isPause) return;
    this.#beganMs = nowMs;
    if (this.#hasRun) this.#count++;
    this.#batch = undefined;
  }

  tried(nowMs: number): void {
    this.#beganMs = nowMs;
    this.#hasTried = true;
  }

  /** A task of that timer begins, and no advanceClock runs it. */
  willRun(timer: number, nowMs: number): void {
    const usedMs = nowMs - this.#beganMs;
    const sliceMs = this.#slices[timer];
    if (usedMs >= sliceMs) this.#fail(`timer ${timer} runs a task after ${usedMs} ms of ${sliceMs}`);
    this.#hasRun = true;
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
    const mostMs = this.#count * (Math.max(...this.#slices) + this.#longestBatchMs);
    if (this.#hasTried || this.#usedMs <= mostMs) return;
    this.#fail(`a turn takes ${this.#usedMs} ms: ${this.#count} slices allow ${mostMs}`);
  }
}
