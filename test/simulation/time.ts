// The time of a simulation: events in the order of their time, then of their making. Nothing else
// happens, so a run depends on its seed alone. `hash` tells two runs apart.
import type { Clock, WakeUp } from '../../src/clock/clock.ts';
import { IndexedHeap, type Mark, NOT_IN_HEAP } from '../../src/waits/indexed-heap.ts';

interface TimedEvent extends Mark, WakeUp {
  /** When it happens. */
  readonly rank: number;
  readonly go: () => void;
}

/** The clock of the network: it is the time of the simulation. */
export class Time implements Clock {
  nowMs = 0;
  /** Events and turns so far. */
  steps = 0;
  hash = 7;
  readonly #events = new IndexedHeap<TimedEvent>();
  #made = 0;

  now(): number {
    return this.nowMs;
  }

  wakeAt(atMs: number, go: () => void): WakeUp {
    const event: TimedEvent = {
      rank: Math.max(atMs, this.nowMs),
      order: this.#made++,
      index: NOT_IN_HEAP,
      go,
      cancel: () => {
        if (event.index !== NOT_IN_HEAP) this.#events.remove(event);
      },
    };
    this.#events.push(event);
    return event;
  }

  after(ms: number, go: () => void): void {
    this.wakeAt(this.nowMs + ms, go);
  }

  mix(value: number): void {
    this.hash = (Math.imul(this.hash, 31) + (value | 0)) | 0;
  }

  /** @param isOver is asked before each event. */
  runUntil(endMs: number, isOver: () => boolean): void {
    while (!isOver()) {
      const first = this.#events.lowest;
      if (first === undefined || first.rank > endMs) {
        this.nowMs = Math.max(this.nowMs, endMs);
        return;
      }
      this.#events.remove(first);
      this.nowMs = first.rank;
      this.steps++;
      this.mix(first.rank * 1_000);
      first.go();
    }
  }
}
