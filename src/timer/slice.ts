// How long a timer may run tasks before it yields to the event loop.
//
// Ground rules. A slice owns a budget of time and nothing else; whoever runs the tasks begins it and asks after each. It reads the
// clock each time (`npm run bench -- limits` prints what that costs): reading more seldom while tasks are short was tried, and a run of long tasks behind many short
// ones then blocked for a multiple of the slice.
import type { Clock } from '../clock/clock.ts';

/** A budget of time for a run of tasks: overrun by the last task at most. */
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

  /** To be asked after every task: true when the budget is spent. */
  isSpent(): boolean {
    return this.#clock.now() >= this.#endMs;
  }
}
