// The buckets that wait for their time, the earliest first.
//
// Ground rules. It owns the order of the queued buckets, nothing in them. Its owner puts a bucket into it at most once, so it never
// holds more than the wheels have buckets. Reading the head is O(1), a change O(log buckets), and a change is paid once for all
// tasks that share a bucket.
import { PriorityQueue } from '@datastructures-js/priority-queue';
import type { TimerTaskList } from './timer-task-list.ts';

export class DelayQueue {
  // The heap stays private: its own type declarations do not pass a strict consumer's compiler.
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

  /** The queued buckets, in no order. For tests and snapshots: O(size). */
  toArray(): TimerTaskList[] {
    return this.#heap.toArray();
  }
}
