/**
 * Timers over a priority queue from npm that cannot remove from its middle. A cancelled timer is
 * marked and stays until it is popped. Without more, dead timers would pile up for as long as their
 * delays are. So the queue is rebuilt once they outnumber the living, which is O(1) amortized
 * (Python's asyncio does the same).
 */
import { PriorityQueue } from '@datastructures-js/priority-queue';
import TinyQueue from 'tinyqueue';
import { HostAlarm } from './host-alarm.ts';
import type { TimerPeer, TimerPeerOptions } from './timer-peer.ts';

class LazyTimer {
  pending = true;
  readonly deadline: number;
  readonly onExpire: () => void;

  constructor(deadline: number, onExpire: () => void) {
    this.deadline = deadline;
    this.onExpire = onExpire;
  }
}

interface Queue {
  push(timer: LazyTimer): void;
  peek(): LazyTimer | undefined | null;
  pop(): void;
  readonly size: number;
  /** A queue of those of its timers that are pending. */
  compacted(): Queue;
}

const byDeadline = (a: LazyTimer, b: LazyTimer): number => a.deadline - b.deadline;

class DatastructuresQueue implements Queue {
  readonly #queue: PriorityQueue<LazyTimer>;
  constructor(timers: LazyTimer[] = []) {
    this.#queue = PriorityQueue.fromArray(timers, byDeadline);
  }
  push(timer: LazyTimer): void {
    this.#queue.push(timer);
  }
  peek(): LazyTimer | null {
    return this.#queue.front();
  }
  pop(): void {
    this.#queue.pop();
  }
  get size(): number {
    return this.#queue.size();
  }
  compacted(): Queue {
    return new DatastructuresQueue(this.#queue.toArray().filter((timer) => timer.pending));
  }
}

class TinyQueueQueue implements Queue {
  readonly #queue: TinyQueue<LazyTimer>;
  constructor(timers: LazyTimer[] = []) {
    this.#queue = new TinyQueue(timers, byDeadline);
  }
  push(timer: LazyTimer): void {
    this.#queue.push(timer);
  }
  peek(): LazyTimer | undefined {
    return this.#queue.peek();
  }
  pop(): void {
    this.#queue.pop();
  }
  get size(): number {
    return this.#queue.length;
  }
  compacted(): Queue {
    return new TinyQueueQueue(this.#queue.data.filter((timer) => timer.pending));
  }
}

class LazyTimers implements TimerPeer<LazyTimer> {
  #queue: Queue;
  #dead = 0;
  readonly #now: () => number;
  readonly #onExpire: () => void;
  readonly #alarm: HostAlarm | undefined;

  constructor(queue: Queue, { clock, onExpire }: TimerPeerOptions) {
    this.#queue = queue;
    this.#now = clock === undefined ? () => performance.now() : () => clock.now();
    this.#onExpire = onExpire;
    if (clock === undefined) {
      this.#alarm = new HostAlarm(() => {
        this.advance();
        return this.#queue.peek()?.deadline;
      });
    }
  }

  start(delayMs: number): LazyTimer {
    const now = this.#now();
    const timer = new LazyTimer(now + delayMs, this.#onExpire);
    this.#queue.push(timer);
    this.#alarm?.atLatest(timer.deadline, now);
    return timer;
  }

  cancel(timer: LazyTimer): void {
    if (!timer.pending) return;
    timer.pending = false;
    this.#dead++;
    if (this.#dead > 1000 && this.#dead > this.#queue.size / 2) {
      this.#queue = this.#queue.compacted();
      this.#dead = 0;
    }
  }

  advance(): void {
    const now = this.#now();
    for (let head = this.#queue.peek(); head && head.deadline <= now; head = this.#queue.peek()) {
      this.#queue.pop();
      if (head.pending) {
        head.pending = false;
        head.onExpire();
      } else this.#dead--;
    }
  }
}

export const datastructuresQueue = (options: TimerPeerOptions): TimerPeer<LazyTimer> =>
  new LazyTimers(new DatastructuresQueue(), options);
export const tinyQueue = (options: TimerPeerOptions): TimerPeer<LazyTimer> =>
  new LazyTimers(new TinyQueueQueue(), options);
