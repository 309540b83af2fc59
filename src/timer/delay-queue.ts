// The queue of the buckets that have tasks, the earliest first.
//
// Ground rules. It owns the order of the queued buckets, and nothing in them. Its owner queues a
// bucket once at most, so it never holds more buckets than the wheels have. To read the head is
// O(1). To change the queue is O(log buckets), and all tasks of a bucket share that cost.
import { PriorityQueue } from '@datastructures-js/priority-queue';
import type { TimerTaskList } from './timer-task-list.ts';

export class DelayQueue {
  // Private, because the heap's own type declarations do not pass a strict compiler.
  readonly #heap = new PriorityQueue<TimerTaskList>((x, y) => x.expiration - y.expiration);
  #headExpiration = Number.POSITIVE_INFINITY;

  /** The tick at which the head expires; Infinity when there is none. */
  get headExpiration(): number {
    return this.#headExpiration;
  }

  get head(): TimerTaskList | null {
    return this.#heap.front();
  }

  get size(): number {
    return this.#heap.size();
  }

  enqueue(bucket: TimerTaskList, expiration: number): void {
    bucket.expiration = expiration;
    this.#heap.enqueue(bucket);
    if (expiration < this.#headExpiration) this.#headExpiration = expiration;
  }

  /** Takes the head, which must exist. */
  dequeue(): TimerTaskList {
    const bucket = this.#heap.dequeue() as TimerTaskList;
    this.#headExpiration = this.#heap.front()?.expiration ?? Number.POSITIVE_INFINITY;
    return bucket;
  }

  /** The queued buckets, in no order. For tests: O(size). */
  toArray(): TimerTaskList[] {
    return this.#heap.toArray();
  }
}
