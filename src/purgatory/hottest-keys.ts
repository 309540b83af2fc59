// The keys with the most watchers, picked from counts that are offered one by one. O(top) memory; an offer that is not among the top
// costs a comparison.

/** A key and how many parked operations watch it. */
export interface CountedKey<K> {
  readonly key: K;
  readonly watchers: number;
}

export class HottestKeys<K> {
  readonly #top: number = 0;
  /** The hottest first; of equals, the one offered first. */
  readonly ranking: CountedKey<K>[] = [];

  constructor(top: number) {
    this.#top = top;
  }

  offer(key: K, watchers: number): void {
    const { ranking } = this;
    if (ranking.length === this.#top) {
      if (this.#top === 0 || watchers <= ranking[this.#top - 1].watchers) return;
      ranking.pop();
    }
    let at = ranking.length;
    while (at > 0 && ranking[at - 1].watchers < watchers) at--;
    ranking.splice(at, 0, { key, watchers });
  }
}
