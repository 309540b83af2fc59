// The keys with the most watchers, found in bounded time.
//
// A linked watch list has no count: to keep one, an operation that leaves would have to know its lists, a quarter more memory a watch. So lists
// are walked, all of them up to a limit; those that reach it are walked again, with the limit that their number then allows. So a few hot
// keys among many are counted to the end. Where very many watch every key, what is told of each is the limit: that many or more.

/** A key and how many parked operations watch it. */
export interface CountedKey<K> {
  readonly key: K;
  readonly watchers: number;
}

/** Steps of one round: some hundred microseconds with cold caches. */
const MAX_STEPS = 32_768;
const MAX_ROUNDS = 4;

/** The keys that are looked at in one snapshot; of more, each takes the next ones. */
export const MAX_KEYS = 4_096;

/**
 * The `top` keys with the most watchers, the hottest first. `count` tells how many watch a key, and may stop at `max`. At most
 * MAX_KEYS keys. O(MAX_STEPS).
 */
export function hottestKeys<K>(
  keys: readonly K[],
  count: (key: K, max: number) => number,
  top: number,
): CountedKey<K>[] {
  const counted: CountedKey<K>[] = [];
  let open: CountedKey<K>[] = keys.map((key) => ({ key, watchers: 0 }));
  for (let round = 0; round < MAX_ROUNDS && open.length > 0; round++) {
    const max = Math.max(1, Math.floor(MAX_STEPS / open.length));
    const before = open.length;
    const walked = open.map(({ key }) => ({ key, watchers: count(key, max) }));
    counted.push(...walked.filter(({ watchers }) => watchers < max));
    open = walked.filter(({ watchers }) => watchers >= max);
    if (open.length === before) break; // a further round would tell no more
  }
  return [...open, ...counted].sort((x, y) => y.watchers - x.watchers).slice(0, top);
}
