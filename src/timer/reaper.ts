// The one wake-up that a timer holds on its clock.
//
// Ground rules. The reaper owns the wake-up; its timer (DrivenTimer) tells it the time to look next and is told when that has come.
// It arms for an earlier time only: one for a later time would cost a host timer per start, while a wake-up that finds
// nothing due costs one per bucket. With nothing pending it holds no wake-up, so an idle timer costs the host nothing.
import type { Clock, WakeUp } from '../clock/clock.ts';
import { throwLater } from '../report-error.ts';

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
    this.disarm();
    this.#wakeUp = this.#clock.wakeAt(atMs, this.#fire);
    this.#armedAtMs = atMs;
    if (!this.#isRef) this.#wakeUp.unref?.();
  }

  /** As `arm`, for a later time too. */
  move(atMs: number): void {
    if (atMs > this.#armedAtMs) this.disarm();
    this.arm(atMs);
  }

  /** Forgets the wake-up, if there is one. Never throws: it is called in the middle of completing an operation, which must get its answer. */
  disarm(): void {
    const wakeUp = this.#wakeUp;
    this.#wakeUp = undefined;
    this.#armedAtMs = Number.POSITIVE_INFINITY;
    try {
      wakeUp?.cancel();
    } catch (error) {
      throwLater(error);
    }
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
