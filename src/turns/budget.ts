// How long a timer may run tasks before it yields to the event loop.
//
// Ground rules. A slice owns a budget of time and nothing else. The timer begins it, and asks after
// each task whether it is spent. It reads the clock each time (`npm run bench -- limits` prints
// that cost). To read it less often while tasks are short was tried: one long task after many short
// ones then blocked the loop for several slices.
import type { Clock } from '../clock/clock.ts';

/** A budget of time for a run of tasks. Only the last task can exceed it. */
export class Slice {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #sliceMs: number = 0;
  #endMs = 0;

  constructor(clock: Pick<Clock, 'now'>, sliceMs: number) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
  }

  begin(nowMs: number): void {
    this.#endMs = nowMs + this.#sliceMs;
  }

  /** Whether the budget is spent. To be called after each task. */
  isSpent(): boolean {
    return this.#clock.now() >= this.#endMs;
  }
}
