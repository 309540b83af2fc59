// The buckets that have tasks, the earliest first (Kafka's DelayQueue): the reaper moves the clock
// to its head, and never through an empty bucket.
//
// Costs. enqueue, dequeue: O(log buckets). head, headExpiration: O(1), and a field each, because
// each start and each pass reads them.
import { PriorityQueue } from '@datastructures-js/priority-queue';
import type { Bucket } from './timing-wheel.ts';

export class DelayQueue {
  // Private, because the heap's own type declarations do not pass a strict compiler.
  readonly #heap = new PriorityQueue<Bucket>((x, y) => x.expiration - y.expiration);
  head: Bucket | undefined;
  /** When the head expires; Infinity without one. */
  headExpiration: number = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#heap.size();
  }

  enqueue(bucket: Bucket, expiration: number): void {
    bucket.expiration = expiration;
    bucket.isQueued = true;
    this.#heap.enqueue(bucket);
    if (expiration < this.headExpiration) this.#lead(bucket);
  }

  /** Takes the head, which must exist. */
  dequeue(): void {
    (this.#heap.dequeue() as Bucket).isQueued = false;
    this.#lead(this.#heap.front() ?? undefined);
  }

  #lead(head: Bucket | undefined): void {
    this.head = head;
    this.headExpiration = head === undefined ? Number.POSITIVE_INFINITY : head.expiration;
  }

  /** The queued buckets, in no order. O(size). */
  toArray(): Bucket[] {
    return this.#heap.toArray();
  }
}
