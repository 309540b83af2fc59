// A clock of the user. A test sets its time freely: back, far ahead, or in the middle of a
// callback.
import type { Clock, WakeUp } from '../../src/index.ts';

export interface HostWakeUp extends WakeUp {
  readonly atMs: number;
  readonly wake: () => void;
  hasRef: boolean;
}

/**
 * Time stands at `time`. Wake-ups wait in `outstanding` until the test calls
 * {@link HostClock.fire}.
 */
export class HostClock implements Clock {
  time: number;
  readonly outstanding = new Set<HostWakeUp>();
  /** The most wake-ups that were ever outstanding at once, and how many were called. */
  most = 0;
  wakes = 0;

  constructor(time = 0) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  wakeAt(atMs: number, wake: () => void): WakeUp {
    const wakeUp: HostWakeUp = {
      atMs,
      wake,
      hasRef: true,
      cancel: () => void this.outstanding.delete(wakeUp),
      ref: () => {
        wakeUp.hasRef = true;
      },
      unref: () => {
        wakeUp.hasRef = false;
      },
    };
    this.outstanding.add(wakeUp);
    this.most = Math.max(this.most, this.outstanding.size);
    return wakeUp;
  }

  /** The earliest outstanding wake-up. */
  get next(): HostWakeUp | undefined {
    return [...this.outstanding].sort((a, b) => a.atMs - b.atMs)[0];
  }

  /**
   * Calls the wake-ups that are due now, each once. Wake-ups that they set wait for the next call.
   * Returns the number of calls.
   */
  fire(): number {
    const due = [...this.outstanding].filter((w) => w.atMs <= this.time).sort((a, b) => a.atMs - b.atMs);
    for (const wakeUp of due) {
      if (!this.outstanding.delete(wakeUp)) continue;
      this.wakes++;
      wakeUp.wake();
    }
    return due.length;
  }
}
