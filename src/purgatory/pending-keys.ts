// The keys of events that have not begun, in the order of their first notify, with the limit of
// each: how many its event may complete.
//
// Ground rules. It keeps a number a key, and no record: with 10,000 keys notified in a turn, a
// record for each cost the collector as much as the tries. Costs: O(1).
import { addLimits } from './event-limit.ts';

export class PendingKeys<K> extends Map<K, number> {
  /**
   * Kept, because a new iterator passes by all keys that were deleted. `next` must not be read while
   * there is no key: an iterator that has ended gives no key that is added later.
   */
  #order = this.keys();
  #next: IteratorResult<K, undefined> | undefined;
  #taken = 0;

  /** How many have been taken: the number of the last one. */
  get taken(): number {
    return this.#taken;
  }

  /** The number of the last key, or a lower one if deadlines have used up limits. */
  get last(): number {
    return this.#taken + this.size;
  }

  /** As many more may complete. */
  allow(key: K, limit: number): void {
    this.set(key, addLimits(this.get(key) ?? 0, limit));
  }

  /** A deadline has completed one for the event of `key`, which may use up its limit. */
  countCompletion(key: K): void {
    const limit = this.get(key);
    if (limit === undefined) return;
    if (limit > 1) {
      this.set(key, limit - 1);
    } else {
      this.delete(key);
      this.#order = this.keys();
      this.#next = undefined;
    }
  }

  /** The oldest key. There must be one. */
  get next(): K {
    this.#next ??= this.#order.next();
    return this.#next.value as K;
  }

  /** Takes `key`, which is `next`. Returns its limit. */
  take(key: K): number {
    const limit = this.get(key) as number;
    this.delete(key);
    this.#next = undefined;
    this.#taken++;
    return limit;
  }

  override clear(): void {
    super.clear();
    this.#next = undefined;
  }
}
