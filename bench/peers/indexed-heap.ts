/**
 * A binary heap by deadline in which each timer knows its index. So one is cancelled in O(log n),
 * and no dead timer stays. It is the best that a priority queue can do here, and a wheel must beat
 * it to be worth its complexity.
 */
import { HostAlarm } from './host-alarm.ts';
import type { TimerPeer, TimerPeerOptions } from './timer-peer.ts';

class HeapTimer {
  index = -1;
  readonly deadline: number;
  readonly onExpire: () => void;

  constructor(deadline: number, onExpire: () => void) {
    this.deadline = deadline;
    this.onExpire = onExpire;
  }
}

class IndexedHeap implements TimerPeer<HeapTimer> {
  readonly #heap: HeapTimer[] = [];
  readonly #now: () => number;
  readonly #onExpire: () => void;
  readonly #alarm: HostAlarm | undefined;

  constructor({ clock, onExpire }: TimerPeerOptions) {
    this.#now = clock === undefined ? () => performance.now() : () => clock.now();
    this.#onExpire = onExpire;
    if (clock === undefined) {
      this.#alarm = new HostAlarm(() => {
        this.advance();
        return this.#heap[0]?.deadline;
      });
    }
  }

  start(delayMs: number): HeapTimer {
    const now = this.#now();
    const timer = new HeapTimer(now + delayMs, this.#onExpire);
    this.#heap.push(timer);
    this.#rise(timer, this.#heap.length - 1);
    if (timer.index === 0) this.#alarm?.atLatest(timer.deadline, now);
    return timer;
  }

  cancel(timer: HeapTimer): void {
    const { index } = timer;
    if (index < 0) return;
    timer.index = -1;
    const last = this.#heap.pop()!;
    if (last === timer) return;
    if (index > 0 && this.#heap[(index - 1) >> 1].deadline > last.deadline) this.#rise(last, index);
    else this.#sink(last, index);
  }

  advance(): void {
    const now = this.#now();
    for (let head = this.#heap[0]; head !== undefined && head.deadline <= now; head = this.#heap[0]) {
      this.cancel(head);
      head.onExpire();
    }
  }

  #rise(timer: HeapTimer, from: number): void {
    const heap = this.#heap;
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent.deadline <= timer.deadline) break;
      heap[index] = parent;
      parent.index = index;
      index = parentIndex;
    }
    heap[index] = timer;
    timer.index = index;
  }

  #sink(timer: HeapTimer, from: number): void {
    const heap = this.#heap;
    const { length } = heap;
    let index = from;
    for (let childIndex = 2 * index + 1; childIndex < length; childIndex = 2 * index + 1) {
      if (childIndex + 1 < length && heap[childIndex + 1].deadline < heap[childIndex].deadline) childIndex++;
      const child = heap[childIndex];
      if (child.deadline >= timer.deadline) break;
      heap[index] = child;
      child.index = index;
      index = childIndex;
    }
    heap[index] = timer;
    timer.index = index;
  }
}

export const indexedHeap = (options: TimerPeerOptions): TimerPeer<HeapTimer> => new IndexedHeap(options);
