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
  /** When it comes in the `advance` under way: at `atMs`, or a step later if that had come. */
  comesMs: number;
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
  /** Of the `advance` under way, the innermost one. */
  #targetMs: number | undefined;
  /** In the order of setting. */
  readonly #outstanding: ManualWakeUp[] = [];

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
      comesMs: this.#targetMs !== undefined && atMs <= this.#nowMs ? this.#soon(this.#targetMs) : atMs,
      wake,
      cancel: () => this.#remove(wakeUp),
    };
    this.#outstanding.push(wakeUp);
    return wakeUp;
  }

  /** A step from now, but no later than the target if that is ahead. */
  #soon(targetMs: number): number {
    // So large a time may have no next millisecond.
    const soonMs = this.#nowMs + Math.max(LEAST_STEP_MS, Math.abs(this.#nowMs) * Number.EPSILON);
    return this.#nowMs < targetMs ? Math.min(soonMs, targetMs) : soonMs;
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
    const outerMs = this.#targetMs;
    if (outerMs === undefined) for (const wakeUp of this.#outstanding) wakeUp.comesMs = wakeUp.atMs;
    this.#targetMs = targetMs;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        if (next.comesMs > Math.max(targetMs, this.#nowMs)) break;
        this.#stepTo(next.comesMs);
        this.#remove(next);
        next.wake();
      }
      this.#stepTo(targetMs);
    } finally {
      this.#targetMs = outerMs;
    }
  }

  #stepTo(atMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  /** The wake-up that comes first; of several, the one that was set first. */
  #next(): ManualWakeUp | undefined {
    let first: ManualWakeUp | undefined;
    for (const wakeUp of this.#outstanding) {
      if (first === undefined || wakeUp.comesMs < first.comesMs) first = wakeUp;
    }
    return first;
  }

  #remove(wakeUp: ManualWakeUp): void {
    const index = this.#outstanding.indexOf(wakeUp);
    if (index >= 0) this.#outstanding.splice(index, 1);
  }
}
