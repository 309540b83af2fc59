// The keys that are notified and whose pass has not begun: pending keys, in rounds.
//
// Ground rules. It belongs to one EventQueue and runs no user code. Keys are served in the order of
// their first notify. What is notified during a round is the next round, unless its key is pending
// in this one. So a key is pending in one round at most, and its limit is kept apart from rounds.
//
// When a key is taken, only a position moves. The Set of its round learns of it when somebody asks
// which keys are pending; most rounds are over before. Each round has a Set of its own. (V8 links
// the tables that a Set outgrows: those of one that grows and shrinks for ever keep each other
// alive, and the collector copies them.)
//
// Costs. add, take: O(1), one look-up for each key. startRound: O(keys of the round). has, useUp,
// remove: amortised O(1).

const noKeys: readonly never[] = [];
/** The round between two stretches of serving: nothing is ever added to it. */
const noRound = new Set<never>();

export class Rounds<K> {
  /** Keys of the next round. */
  #fresh = new Set<K>();
  /** Keys of the round under way that are pending; and those that `#forgetTaken` has yet to delete. */
  #round: Set<K> = noRound;
  /** All keys of the round, in the order in which they are taken. */
  #keys: readonly K[] = noKeys;
  /** The keys before it are taken, or needed no pass. */
  #at = 0;
  /** The keys before it are no longer in `#round`. */
  #forgotten = 0;
  /** Keys of the round that are pending. */
  #left = 0;
  /** How many the event on a pending key may complete, where it has a limit. */
  readonly #limits = new Map<K, number>();

  /** How many keys are pending. */
  get size(): number {
    return this.#left + this.#fresh.size;
  }

  /** Whether the round under way has no key left. */
  get isRoundOver(): boolean {
    return this.#left === 0;
  }

  /** An event on `key` that may complete `limit` operations. */
  add(key: K, limit: number): void {
    if (limit !== Number.POSITIVE_INFINITY) this.#addLimited(key, limit);
    else if (this.#limits.size > 0) this.#limits.delete(key);
    if (this.#left === 0 || !this.#isInRound(key)) this.#fresh.add(key);
  }

  #addLimited(key: K, limit: number): void {
    const before = this.#limits.get(key);
    if (before !== undefined || !this.has(key)) this.#limits.set(key, limit + (before ?? 0));
  }

  has(key: K): boolean {
    return this.#fresh.has(key) || this.#isInRound(key);
  }

  #isInRound(key: K): boolean {
    if (this.#left === 0) return false;
    this.#forgetTaken();
    return this.#round.has(key);
  }

  #forgetTaken(): void {
    while (this.#forgotten < this.#at) this.#round.delete(this.#keys[this.#forgotten++]);
  }

  /** What was notified during the last round is the next one. */
  startRound(): void {
    this.#round = this.#fresh;
    this.#keys = [...this.#fresh];
    this.#at = 0;
    this.#forgotten = 0;
    this.#left = this.#keys.length;
    this.#fresh = new Set();
  }

  /** The key whose turn it is, in a round that is not over. */
  first(): K {
    if (this.#round.size < this.#keys.length - this.#forgotten) this.#skipRemoved();
    return this.#keys[this.#at];
  }

  #skipRemoved(): void {
    while (!this.#round.has(this.#keys[this.#at])) this.#at++;
  }

  /** How many the event on a pending key may complete. */
  limitOf(key: K): number {
    return this.#limits.size === 0
      ? Number.POSITIVE_INFINITY
      : (this.#limits.get(key) ?? Number.POSITIVE_INFINITY);
  }

  /** The pass of the {@link first} key begins. */
  take(): void {
    if (this.#limits.size > 0) this.#limits.delete(this.#keys[this.#at]);
    this.#at++;
    this.#left--;
  }

  /** The event on a pending key has completed one: true if it may complete no more, and is over. */
  useUp(key: K): boolean {
    const limit = this.limitOf(key);
    if (limit > 1) {
      if (limit < Number.POSITIVE_INFINITY) this.#limits.set(key, limit - 1);
      return false;
    }
    this.remove(key);
    return true;
  }

  /** Returns how many the event could complete; 0: the key was not pending. */
  remove(key: K): number {
    const limit = this.limitOf(key);
    const isInRound = this.#isInRound(key);
    if (!isInRound && !this.#fresh.delete(key)) return 0;
    this.#limits.delete(key);
    if (!isInRound) return limit;
    this.#round.delete(key);
    this.#left--;
    return limit;
  }

  /** All pending keys. O(pending keys). */
  keys(): K[] {
    this.#forgetTaken();
    return [...this.#round, ...this.#fresh];
  }

  clear(): void {
    this.#fresh.clear();
    this.#limits.clear();
    this.endRounds();
  }

  /** Keeps no key that was taken. */
  endRounds(): void {
    this.#round = noRound;
    this.#keys = noKeys;
    this.#at = 0;
    this.#forgotten = 0;
    this.#left = 0;
  }
}
