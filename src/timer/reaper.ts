// The one wake-up that a timer holds on its clock, and the slices that its work is cut into.
//
// Ground rules. The reaper owns the wake-up; SystemTimer tells it the time of the earliest bucket and is told when that has come.
// It arms for an earlier time only: one for a later time would cost a host timer per start, while a wake-up that finds
// nothing due costs one per bucket. With nothing pending it holds no wake-up, so an idle timer costs the host nothing.
import type { Clock, WakeUp } from '../clock/clock.ts';

export class Reaper {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #wakeUp: WakeUp | undefined;
  #armedAtMs = Number.POSITIVE_INFINITY;
  #isRef = true;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Sees to it that `wake` is called at `atMs` or before; O(1), one host timer if that is earlier than known. */
  arm(atMs: number): void {
    if (atMs >= this.#armedAtMs) return;
    this.#wakeUp?.cancel();
    this.#armedAtMs = atMs;
    this.#wakeUp = this.#clock.wakeAt(atMs, this.#fire);
    if (!this.#isRef) this.#wakeUp.unref?.();
  }

  /** Forgets the wake-up, if there is one. */
  disarm(): void {
    this.#wakeUp?.cancel();
    this.#wakeUp = undefined;
    this.#armedAtMs = Number.POSITIVE_INFINITY;
  }

  get isRef(): boolean {
    return this.#isRef;
  }

  set isRef(isRef: boolean) {
    this.#isRef = isRef;
    if (isRef) this.#wakeUp?.ref?.();
    else this.#wakeUp?.unref?.();
  }

  readonly #fire = (): void => {
    this.#wakeUp = undefined;
    this.#armedAtMs = Number.POSITIVE_INFINITY;
    this.#wake();
  };
}

/** The most tasks between two clock readings: with 32, the readings cost about 1 ns per task. */
const MAX_STRIDE = 32;

/**
 * A budget of time for a run of tasks. The clock is read after the first task, and then as seldom as the tasks prove to
 * be short: half of what is left of the slice is planned at most, so tasks of like cost overrun it by less than one task.
 */
export class Slice {
  readonly #clock: Clock;
  readonly #sliceMs: number;
  #endMs = 0;
  #readMs = 0;
  #stride = 1;
  #left = 1;

  constructor(clock: Clock, sliceMs: number) {
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
