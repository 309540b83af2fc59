// How long a timer may run tasks before it yields to the event loop.
//
// Ground rules. A slice owns a budget of time and nothing else; whoever runs the tasks begins it and asks after each. To read the
// clock after every task would cost as much as a short task does, so the readings adapt to the tasks.
import type { Clock } from '../clock/clock.ts';

/** The most tasks between two clock readings: with 32, the readings cost about 1 ns per task. */
const MAX_STRIDE = 32;

/**
 * A budget of time for a run of tasks. The clock is read after the first task, and then as seldom as the tasks prove to
 * be short: half of what is left of the slice is planned at most, so tasks of like cost overrun it by less than one task.
 */
export class Slice {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #sliceMs: number = 0;
  #endMs = 0;
  #readMs = 0;
  #stride = 1;
  #left = 1;

  constructor(clock: Pick<Clock, 'now'>, sliceMs: number) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
  }

  begin(nowMs: number): void {
    this.#readMs = nowMs;
    this.#endMs = nowMs + this.#sliceMs;
    this.#stride = 1;
    this.#left = 1;
  }

  /** To be asked after every task: true when the budget is spent. */
  isSpent(): boolean {
    if (--this.#left > 0) return false;
    const nowMs = this.#clock.now();
    const leftMs = this.#endMs - nowMs;
    if (leftMs <= 0) return true;
    const perTaskMs = (nowMs - this.#readMs) / this.#stride;
    const affordable = perTaskMs > 0 ? Math.floor(leftMs / (2 * perTaskMs)) : MAX_STRIDE;
    this.#stride = Math.max(1, Math.min(affordable, this.#stride * 2, MAX_STRIDE));
    this.#left = this.#stride;
    this.#readMs = nowMs;
    return false;
  }
}
