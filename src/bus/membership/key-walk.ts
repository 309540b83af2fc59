// A walk over the keys that somebody watches, for a sweep. It calls `visit` with each.
//
// Ground rules. A round goes over a copy of the keys, in their order, from a random one on. The copy
// is made in steps, too: keys that come meanwhile are in it. A key that has no watcher when the round
// comes to it is left out. A round that is to begin while another one visits keys follows it.
//
// Costs. begin: O(1). While a round lasts: 8 bytes a key.
import type { Walk } from './sweep.ts';

/** What it goes over: the lists of a purgatory, or of SharedWaits. */
export interface WatchedKeys {
  /** How many keys somebody watches. */
  readonly keys: number;
  /** These keys. It may be kept over turns: keys that come meanwhile are given too. */
  allKeys(): Iterator<unknown>;
  watchersOf(key: unknown): number;
}

/** Keys that are copied in a step: some 10 us. */
const COPIED = 512;

/** The {@link Walk} of a {@link Sweep} that asks for the state of every key. */
export class KeyWalk<K> implements Walk {
  readonly #lists: WatchedKeys;
  readonly #visit: (key: K) => void;
  readonly #keysPerStep: number;
  #keys: K[] = [];
  /** The keys that are still to be copied. Undefined when all are. */
  #source: Iterator<unknown> | undefined;
  #random = 0;
  #next = 0;
  /** Keys that the round has not come to. */
  #rest = 0;
  /** Another round follows. */
  #isAgain = false;

  /** @param visit throws nothing. */
  constructor(lists: WatchedKeys, visit: (key: K) => void, keysPerStep = 1) {
    this.#lists = lists;
    this.#visit = visit;
    this.#keysPerStep = keysPerStep;
  }

  /** Copies count for nothing: they are made at once, and the visits are spread. */
  get left(): number {
    if (this.#source !== undefined) return Math.max(1, this.#stepsOf(this.#keys.length));
    const visits = Math.ceil(this.#rest / this.#keysPerStep);
    return this.#isAgain ? visits + this.#stepsOf(0) : visits;
  }

  begin(random: number = this.#random): void {
    this.#random = random;
    if (this.#rest > 0) this.#isAgain = true;
    else if (this.#source === undefined) this.#copyAnew();
    // Otherwise no key was visited yet, and the copy will have all that there are now.
  }

  step(): number {
    if (this.#source !== undefined) {
      this.#copy(this.#source);
      return 0;
    }
    let tried = 0;
    const until = Math.max(this.#rest - this.#keysPerStep, 0);
    while (this.#rest > until) tried += this.#visitNext();
    if (this.#rest === 0) {
      this.#keys = [];
      if (this.#isAgain) this.#copyAnew();
    }
    return tried;
  }

  /** The visits of a round, if there are as many keys as now; at least `keys`. */
  #stepsOf(keys: number): number {
    return Math.ceil(Math.max(this.#lists.keys, keys) / this.#keysPerStep);
  }

  #copyAnew(): void {
    this.#isAgain = false;
    this.#source = this.#lists.allKeys();
    this.#copy(this.#source); // of few keys, that is all
  }

  #copy(source: Iterator<unknown>): void {
    for (let copied = 0; copied < COPIED; copied++) {
      const { value, done } = source.next();
      if (done) {
        this.#source = undefined;
        this.#rest = this.#keys.length;
        this.#next = Math.floor(this.#random * this.#rest);
        return;
      }
      this.#keys.push(value as K);
    }
  }

  #visitNext(): number {
    const key = this.#keys[this.#next++];
    if (this.#next === this.#keys.length) this.#next = 0;
    this.#rest--;
    const watchers = this.#lists.watchersOf(key);
    if (watchers > 0) this.#visit(key);
    return watchers;
  }
}
