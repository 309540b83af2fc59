// A clock that stands still until it is moved: for tests and simulations.
//
// Ground rules. It owns its time and its outstanding wake-ups. Only `advance` moves it, and only
// forward. `advance` stops at each wake-up in turn, so each callback reads its own time. A wake-up
// costs O(n) of the n that are outstanding: one for each timer on this clock.
//
// A wake-up may set another one for a time that has come. That one runs 1 ms later, as a
// setTimeout(0) of Node does, or in the next `advance` when this one has reached its target. Else a
// task that adds itself again without delay would hang `advance`.
import { requiredNumber } from '../base/checks.ts';
import type { Clock, WakeUp } from './clock.ts';

interface ManualWakeUp extends WakeUp {
  readonly atMs: number;
  readonly wake: () => void;
}

/** The least time between two runs of a wake-up that sets itself again for a time that has come. */
const LEAST_STEP_MS = 1;

const FINITE = { min: -Number.MAX_VALUE, max: Number.MAX_VALUE } as const;
const FINITE_FORWARDS = { min: 0, max: Number.MAX_VALUE } as const;

/**
 * A {@link Clock} for tests and simulations: its time moves by {@link ManualClock.advance} alone.
 */
export class ManualClock implements Clock {
  #nowMs = 0;
  #depth = 0;
  readonly #outstanding: ManualWakeUp[] = [];
  /**
   * The wake-ups that wake-ups have set for a time that has come. Not due before the clock moves.
   */
  readonly #held: ManualWakeUp[] = [];

  /**
   * @param startMs the first reading, in ms.
   * @throws TypeError, RangeError (Node's codes) when it is not a finite number.
   */
  constructor(startMs = 0) {
    this.#nowMs = requiredNumber('startMs', startMs, FINITE);
  }

  get isStill(): boolean {
    return true;
  }

  now(): number {
    return this.#nowMs;
  }

  wakeAt(atMs: number, wake: () => void): WakeUp {
    const wakeUp: ManualWakeUp = {
      atMs,
      wake,
      cancel: () => {
        remove(this.#outstanding, wakeUp);
        remove(this.#held, wakeUp);
      },
    };
    (this.#depth > 0 && atMs <= this.#nowMs ? this.#held : this.#outstanding).push(wakeUp);
    return wakeUp;
  }

  /**
   * Moves the time forward by `ms`. Runs each wake-up that becomes due at its own time, in the
   * order of time, then of setting. `advance(0)` runs what is due now. When a wake-up throws, the
   * call throws that error, with the clock at the time of the wake-up.
   *
   * @throws TypeError, RangeError (Node's codes) when `ms` is not a finite number >= 0; the time
   * has not moved then.
   */
  advance(ms: number): void {
    const targetMs = this.#nowMs + requiredNumber('ms', ms, FINITE_FORWARDS);
    if (this.#depth === 0) this.#release();
    this.#depth++;
    try {
      for (;;) {
        const next = this.#earliest();
        const heldMs = this.#held.length > 0 ? this.#soon(targetMs) : Number.POSITIVE_INFINITY;
        if (next !== undefined && next.atMs <= Math.max(targetMs, this.#nowMs) && next.atMs <= heldMs) {
          this.#stepTo(next.atMs);
          remove(this.#outstanding, next);
          next.wake();
        } else if (heldMs !== Number.POSITIVE_INFINITY && this.#nowMs < targetMs) {
          this.#stepTo(Math.min(heldMs, targetMs));
        } else {
          break;
        }
      }
      this.#stepTo(targetMs);
    } finally {
      this.#depth--;
    }
  }

  /**
   * When the held wake-ups run: a millisecond later, or at the target when so large a time has no
   * next millisecond.
   */
  #soon(targetMs: number): number {
    const soonMs = this.#nowMs + LEAST_STEP_MS;
    return soonMs > this.#nowMs ? soonMs : targetMs;
  }

  #stepTo(atMs: number): void {
    if (atMs <= this.#nowMs) return;
    this.#nowMs = atMs;
    this.#release();
  }

  #release(): void {
    if (this.#held.length > 0) this.#outstanding.push(...this.#held.splice(0));
  }

  #earliest(): ManualWakeUp | undefined {
    let earliest: ManualWakeUp | undefined;
    for (const wakeUp of this.#outstanding) {
      if (earliest === undefined || wakeUp.atMs < earliest.atMs) earliest = wakeUp;
    }
    return earliest;
  }
}

function remove(wakeUps: ManualWakeUp[], wakeUp: ManualWakeUp): void {
  const index = wakeUps.indexOf(wakeUp);
  if (index >= 0) wakeUps.splice(index, 1);
}
