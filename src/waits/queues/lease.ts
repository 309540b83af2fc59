// An item that is out on lease: what `lease` of Queues resolves with.
//
// Invariants. Its entry knows it until it is over. Exactly one of ack, nack, the end of its time, an
// abort, `clear` and `close` ends it.
import { requiredSpan } from '../../base/checks.ts';
import type { Entry } from './entry.ts';
import { checkedAfter, type LaterOptions } from './queues-options.ts';

/**
 * An item that is yours until you give it up, or its time ends. Its methods throw for bad arguments
 * only.
 */
export class Lease<V, K = string> {
  readonly expired: false = false;
  readonly key: K;
  readonly value: V;
  /** How often the item was taken or leased, this time included. */
  readonly deliveries: number;
  readonly #entry: Entry<V, K>;

  /** @internal */
  constructor(entry: Entry<V, K>) {
    this.key = entry.key;
    this.value = entry.item;
    this.deliveries = entry.deliveries;
    this.#entry = entry;
  }

  /**
   * The work is done: the item is gone for good. False if the lease was over: then somebody else may
   * have it. O(1).
   */
  ack(): boolean {
    const entry = this.#entry;
    const isOut = entry.lease === this;
    if (isOut) entry.owner.end(entry);
    return isOut;
  }

  /**
   * Gives the item back to its place, to those who wait first; with `afterMs`, it comes back so much
   * later. False if the lease was over. O(1), and as `putBack`.
   *
   * @throws TypeError, RangeError (Node's codes) for a bad `afterMs`.
   */
  nack(options?: LaterOptions): boolean {
    const afterMs = checkedAfter(options);
    const entry = this.#entry;
    const isOut = entry.lease === this;
    if (isOut) entry.owner.giveBack(entry, afterMs);
    return isOut;
  }

  /**
   * The lease ends `leaseMs` from now. False if it was over. O(1).
   *
   * @throws TypeError, RangeError (Node's codes) for a bad `leaseMs`.
   * @throws PurgatoryError for a lease that had no end, as the timer refuses it:
   * ERR_PURGATORY_CLOSED, _FULL.
   */
  extend(leaseMs: number): boolean {
    requiredSpan('leaseMs', leaseMs);
    const entry = this.#entry;
    const isOut = entry.lease === this;
    if (isOut) entry.file(leaseMs);
    return isOut;
  }
}
