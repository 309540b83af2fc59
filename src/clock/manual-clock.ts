// A clock that stands still until it is told to move: for tests and simulations.
//
// Ground rules. It owns its time and the wake-ups that are outstanding. Only `advance` moves it, only forward, stepping to
// every wake-up in turn, so that a callback that reads the clock sees its own time. One wake-up costs O(n) of the n that
// are outstanding: n is the number of timers on this clock, one or two.
//
// A wake-up set from inside a wake-up for a time already reached runs 1 ms later (as Node's setTimeout(0) does), or at
// the next `advance` when the target is reached before. Else a task that re-adds itself without delay would hang `advance`.
import { invalidArgType, outOfRange } from '../errors.ts';
import type { Clock, WakeUp } from './clock.ts';

interface ManualWakeUp extends WakeUp {
  readonly atMs: number;
  readonly wake: () => void;
}

/** The least time between two runs of a wake-up that re-arms itself for a time already reached, as setTimeout has it. */
const LEAST_STEP_MS = 1;

/** A {@link Clock} for tests and simulations: its time moves by {@link ManualClock.advance} alone. */
export class ManualClock implements Clock {
  #nowMs = 0;
  #depth = 0;
  readonly #outstanding: ManualWakeUp[] = [];
  /** What the innermost wake-ups set for a time already reached: not due before the clock steps on. */
  readonly #held: ManualWakeUp[] = [];

  /**
   * @param startMs the first reading, in ms.
   * @throws TypeError, RangeError (Node's codes) when it is not a finite number.
   */
  constructor(startMs = 0) {
    if (typeof startMs !== 'number') throw invalidArgType('startMs', 'of type number', startMs);
    if (!Number.isFinite(startMs)) throw outOfRange('startMs', 'a finite number', startMs);
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  wakeAt(atMs: number, wake: () => void): WakeUp {
    const wakeUp: ManualWakeUp = {
      atMs,
      wake,
      cancel: () => {
        remove(this.#outstanding, wakeUp) || remove(this.#held, wakeUp);
      },
    };
    (this.#depth > 0 && atMs <= this.#nowMs ? this.#held : this.#outstanding).push(wakeUp);
    return wakeUp;
  }

  /**
   * Moves the time forward by `ms`, running each wake-up that falls due at its own time, in order of time, then of
   * setting. `advance(0)` runs what is due now. What a wake-up throws ends the call with the clock at that wake-up's time.
   *
   * @throws TypeError, RangeError (Node's codes) when `ms` is not a finite number >= 0; the time has not moved then.
   */
  advance(ms: number): void {
    if (typeof ms !== 'number') throw invalidArgType('ms', 'of type number', ms);
    if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) throw outOfRange('ms', 'a finite number >= 0', ms);
    const targetMs = this.#nowMs + ms;
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

  /** When held wake-ups run: a millisecond on, or at once at the target where so large a time has no next millisecond. */
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

function remove<T>(list: T[], item: T): boolean {
  const index = list.indexOf(item);
  if (index < 0) return false;
  list.splice(index, 1);
  return true;
}
