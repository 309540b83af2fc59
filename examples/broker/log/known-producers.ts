/**
 * All idempotent producers that the partitions of this node know, in the order in which they last
 * wrote.
 *
 * Owns that order and their number. A producer is forgotten when it has written nothing for
 * `expirationMs` (Kafka's producer.id.expiration.ms). A new one is refused while there are `max`. A
 * producer counts in each partition that it writes to. Times are of performance.now(). O(1) each.
 * `forget` is called for each producer that is forgotten.
 */
export interface KnownProducer {
  heardAt: number;
  /** Called when it is not among the known any more. */
  forget(): void;
}

export class KnownProducers {
  readonly max: number;
  readonly #expirationMs: number;
  /** The one heard of the longest ago first. */
  #inOrder = new Set<KnownProducer>();
  #isLoading = true;

  constructor(max: number, expirationMs: number) {
    this.max = max;
    this.#expirationMs = expirationMs;
  }

  get size(): number {
    return this.#inOrder.size;
  }

  /** There is room for one more, after those that are expired have gone. */
  hasRoom(): boolean {
    return this.#inOrder.size < this.max;
  }

  /**
   * `producer` was heard of at `heardAt`: later than all others, unless the logs are being read.
   */
  note(producer: KnownProducer, heardAt: number): void {
    this.#inOrder.delete(producer);
    producer.heardAt = heardAt;
    this.#inOrder.add(producer);
    if (!this.#isLoading || this.#inOrder.size <= this.max) return;
    const [first] = this.#inOrder;
    this.#drop(first);
  }

  /** Forgets those that were not heard of for too long. */
  expire(nowMs: number): void {
    for (const producer of this.#inOrder) {
      if (nowMs - producer.heardAt < this.#expirationMs) break;
      this.#drop(producer);
    }
  }

  remove(producer: KnownProducer): void {
    this.#inOrder.delete(producer);
  }

  /**
   * All logs are read. They have producers in their own order, and perhaps more than there is room
   * for. Of these, some that came first were forgotten. O(n log n).
   */
  onLoaded(): void {
    this.#isLoading = false;
    this.#inOrder = new Set([...this.#inOrder].sort((a, b) => a.heardAt - b.heardAt));
  }

  #drop(producer: KnownProducer): void {
    this.#inOrder.delete(producer);
    producer.forget();
  }
}
