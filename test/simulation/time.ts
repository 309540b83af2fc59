// The time of a simulation: events in the order of their time, then of their making. Nothing else
// happens, so a run depends on its seed alone. `hash` tells two runs apart.
import type { Clock, WakeUp } from '../../src/clock/clock.ts';

interface TimedEvent extends WakeUp {
  readonly atMs: number;
  readonly order: number;
  go: (() => void) | undefined;
}

function isBefore(a: TimedEvent, b: TimedEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** The clock of the network: it is the time of the simulation. */
export class Time implements Clock {
  nowMs = 0;
  /** Events and turns so far. */
  steps = 0;
  hash = 7;
  readonly #heap: TimedEvent[] = [];
  #made = 0;

  now(): number {
    return this.nowMs;
  }

  after(ms: number, go: () => void): void {
    this.wakeAt(this.nowMs + ms, go);
  }

  mix(value: number): void {
    this.hash = (Math.imul(this.hash, 31) + (value | 0)) | 0;
  }

  /** @param isOver is asked before each event. */
  runUntil(endMs: number, isOver: () => boolean): void {
    const heap = this.#heap;
    while (!isOver()) {
      const first = heap[0];
      if (first === undefined || first.atMs > endMs) {
        this.nowMs = Math.max(this.nowMs, endMs);
        return;
      }
      this.#pop();
      const { go } = first;
      if (go === undefined) continue;
      this.nowMs = first.atMs;
      this.steps++;
      this.mix(first.atMs * 1_000);
      go();
    }
  }

  wakeAt(atMs: number, go: () => void): WakeUp {
    const heap = this.#heap;
    const event: TimedEvent = {
      atMs: Math.max(atMs, this.nowMs),
      order: this.#made++,
      go,
      cancel() {
        event.go = undefined;
      },
    };
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent], event)) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = event;
    return event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (isBefore(last, heap[child])) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
  }
}
