// A clock for walks. It holds one wake-up at a time, which is all that a timer needs, and allocates
// nothing.
import type { Clock, WakeUp } from '../../../../src/index.ts';

const NEVER = Number.POSITIVE_INFINITY;

export class WalkClock implements Clock, WakeUp {
  #nowMs = 0;
  #wakeMs = NEVER;
  #wake: () => void = () => {};

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  wakeAt(atMs: number, wake: () => void): WakeUp {
    if (this.#wakeMs !== NEVER) throw new Error('a second wake-up is asked for');
    this.#wakeMs = atMs;
    this.#wake = wake;
    return this;
  }

  cancel(): void {
    this.#wakeMs = NEVER;
  }

  /** Moves to `targetMs`, and stops at each wake-up on the way. */
  advanceTo(targetMs: number): void {
    while (this.#wakeMs <= targetMs) {
      if (this.#wakeMs > this.#nowMs) this.#nowMs = this.#wakeMs;
      this.#wakeMs = NEVER;
      this.#wake();
    }
    this.#nowMs = targetMs;
  }
}
