/**
 * Timers over a priority queue from npm that cannot remove from its middle. A cancelled timer is
 * marked and stays until it is popped. Without more, dead timers would pile up for as long as their
 * delays are. So the queue is rebuilt once they outnumber the living, which is O(1) amortized
 * (Python's asyncio does the same).
 */
import { PriorityQueue } from '@datastructures-js/priority-queue';
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

const byDeadline = (a: LazyTimer, b: LazyTimer): number => a.deadline - b.deadline;

class LazyTimers implements TimerPeer<LazyTimer> {
  #queue = new PriorityQueue<LazyTimer>(byDeadline);
  #dead = 0;
  readonly #now: () => number;
  readonly #onExpire: () => void;
  readonly #alarm: HostAlarm | undefined;

  constructor({ clock, onExpire }: TimerPeerOptions) {
    this.#now = clock === undefined ? () => performance.now() : () => clock.now();
    this.#onExpire = onExpire;
    if (clock === undefined) {
      this.#alarm = new HostAlarm(() => {
        this.advance();
        return this.#queue.front()?.deadline;
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
    if (this.#dead > 1000 && this.#dead > this.#queue.size() / 2) {
      const living = this.#queue.toArray().filter(({ pending }) => pending);
      this.#queue = PriorityQueue.fromArray(living, byDeadline);
      this.#dead = 0;
    }
  }

  advance(): void {
    const now = this.#now();
    for (let head = this.#queue.front(); head && head.deadline <= now; head = this.#queue.front()) {
      this.#queue.pop();
      if (head.pending) {
        head.pending = false;
        head.onExpire();
      } else this.#dead--;
    }
  }
}

export const lazyQueue = (options: TimerPeerOptions): TimerPeer<LazyTimer> => new LazyTimers(options);
