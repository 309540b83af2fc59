// A walk over the keys that somebody watches, for a sweep. It calls `visit` with each.
//
// Ground rules. A round goes over a copy of the keys that were watched when it began, in their
// order. It leaves out a key that has no watcher when it comes there. A round that begins during
// another one goes on from the same key.
//
// Costs. begin: O(keys). While a round lasts: 8 bytes a key.
import type { Walk } from './sweep.ts';

/** What it goes over: the lists of a purgatory, or of SharedWaits. */
export interface WatchedKeys {
  /** Keys that somebody watches. */
  allKeys(): Iterable<unknown>;
  watchersOf(key: unknown): number;
}

/** The {@link Walk} of a {@link Sweep} that asks for the state of every key. */
export class KeyWalk<K> implements Walk {
  readonly #lists: WatchedKeys;
  readonly #visit: (key: K) => void;
  readonly #keysPerStep: number;
  #keys: K[] = [];
  #next = 0;
  /** Keys that the round has not come to. */
  #rest = 0;

  /** @param visit throws nothing. */
  constructor(lists: WatchedKeys, visit: (key: K) => void, keysPerStep = 1) {
    this.#lists = lists;
    this.#visit = visit;
    this.#keysPerStep = keysPerStep;
  }

  get left(): number {
    return Math.ceil(this.#rest / this.#keysPerStep);
  }

  begin(random?: number): void {
    const next = this.#keys[this.#next];
    const keys = [...this.#lists.allKeys()] as K[];
    this.#next = random === undefined ? Math.max(keys.indexOf(next), 0) : Math.floor(random * keys.length);
    this.#keys = keys;
    this.#rest = keys.length;
  }

  step(): number {
    let tried = 0;
    const until = Math.max(this.#rest - this.#keysPerStep, 0);
    while (this.#rest > until) tried += this.#visitNext();
    return tried;
  }

  #visitNext(): number {
    const key = this.#keys[this.#next++];
    if (this.#next === this.#keys.length) this.#next = 0;
    if (--this.#rest === 0) this.#keys = [];
    const watchers = this.#lists.watchersOf(key);
    if (watchers > 0) this.#visit(key);
    return watchers;
  }
}
