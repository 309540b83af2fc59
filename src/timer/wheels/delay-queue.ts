// The queue of the buckets that have tasks, the earliest first.
//
// Ground rules. It owns the order of the queued buckets and their `expiration`, and nothing else in
// them. Its owner queues a bucket once at most, so it never holds more buckets than the wheels
// have. To read the head is O(1). To change the queue is O(log buckets), and all tasks of a bucket
// share that cost.
//
// A change is all or nothing. The heap is from a library. A stack overflow may stop it in the
// middle of a change. Then the next access builds a new heap from the buckets in it, O(buckets).
import { PriorityQueue } from '@datastructures-js/priority-queue';
import type { Bucket } from './bucket.ts';

const byExpiration = (x: Bucket, y: Bucket): number => x.expiration - y.expiration;

export class DelayQueue {
  // Private, because the heap's own type declarations do not pass a strict compiler.
  #heap = new PriorityQueue<Bucket>(byExpiration);
  #headExpiration = Number.POSITIVE_INFINITY;
  /** The bucket of a change that was cut off. */
  #cutOff: Bucket | undefined;
  /** Whether that bucket is queued. */
  #isQueued = false;

  /** The tick at which the head expires; Infinity when there is none. */
  get headExpiration(): number {
    return this.#headExpiration;
  }

  get head(): Bucket | null {
    if (this.#cutOff !== undefined) this.#mend();
    return this.#heap.front();
  }

  get size(): number {
    if (this.#cutOff !== undefined) this.#mend();
    return this.#heap.size();
  }

  enqueue(bucket: Bucket, expiration: number): void {
    if (this.#cutOff !== undefined) this.#mend();
    bucket.expiration = expiration;
    try {
      this.#heap.enqueue(bucket);
    } catch (error) {
      // No call, and no new object: there is no room for either.
      this.#cutOff = bucket;
      this.#isQueued = false;
      throw error;
    }
    if (expiration < this.#headExpiration) this.#headExpiration = expiration;
  }

  /** Takes the head, which must exist. */
  dequeue(): Bucket {
    const bucket = this.head as Bucket;
    try {
      this.#heap.dequeue();
    } catch (error) {
      this.#cutOff = bucket;
      this.#isQueued = true;
      throw error;
    }
    this.#headExpiration = this.#heap.front()?.expiration ?? Number.POSITIVE_INFINITY;
    return bucket;
  }

  /** The queued buckets, in no order. For tests: O(size). */
  toArray(): Bucket[] {
    if (this.#cutOff !== undefined) this.#mend();
    return this.#heap.toArray();
  }

  #mend(): void {
    const bucket = this.#cutOff as Bucket;
    const buckets = this.#heap.toArray().filter((each) => each !== bucket);
    if (this.#isQueued) buckets.push(bucket);
    this.#heap = PriorityQueue.fromArray(buckets, byExpiration);
    this.#cutOff = undefined;
  }
}
