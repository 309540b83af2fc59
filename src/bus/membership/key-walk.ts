// A walk over the keys that somebody watches, for a sweep. It visits each that has a watcher then.
//
// Ground rules. A round goes over the known keys in their order, from a random one to the end, and
// then over those before it. A key that stays keeps its place, and new ones come behind all others:
// so the round ends where it has come to as many as there were when it began. A round that is to
// begin while another one is under way follows it.
//
// Costs. begin: O(1). The keys before the first one are passed over in steps, too.
import type { Walk } from './sweep.ts';

/** Keys that a step comes to in vain, or passes over, at most: some 10 us. */
const VAIN_A_STEP = 512;

/** The {@link Walk} of a {@link Sweep} that asks for the state of every key. */
export class KeyWalk<K> implements Walk {
  readonly #known: ReadonlyMap<K, unknown>;
  readonly #visit: (key: K) => number;
  readonly #visitsPerStep: number;
  /** Undefined while no step of the round was made. */
  #round: Iterator<number> | undefined;
  /** Keys that the round has not come to. */
  #rest = 0;
  #random = 0;
  /** Another round follows. */
  #isAgain = false;

  /**
   * @param known has all keys that somebody watches, and maybe others.
   * @param visit returns how many operations watch the key; with none it does nothing. Throws nothing.
   */
  constructor(known: ReadonlyMap<K, unknown>, visit: (key: K) => number, visitsPerStep = 1) {
    this.#known = known;
    this.#visit = visit;
    this.#visitsPerStep = visitsPerStep;
  }

  /** What is passed over counts for nothing: that is done at once, and the visits are spread. */
  get left(): number {
    const again = this.#isAgain ? this.#stepsOf(this.#known.size) : 0;
    return this.#stepsOf(this.#rest) + again;
  }

  begin(random: number = this.#random): void {
    this.#random = random;
    if (this.#round === undefined) this.#rest = this.#known.size;
    else this.#isAgain = true;
  }

  step(): number {
    this.#round ??= this.#visits(Math.floor(this.#random * this.#rest));
    let tried = 0;
    let visits = this.#visitsPerStep;
    for (let vain = VAIN_A_STEP; vain > 0 && visits > 0 && this.#rest > 0; ) {
      const { value: watchers = 0 } = this.#round.next();
      tried += watchers;
      if (watchers > 0) visits--;
      else vain--;
    }
    if (this.#rest > 0) return tried;
    this.#round = undefined;
    if (this.#isAgain) this.#rest = this.#known.size;
    this.#isAgain = false;
    return tried;
  }

  #stepsOf(keys: number): number {
    return Math.ceil(keys / this.#visitsPerStep);
  }

  /** @param before how many keys are before the first one. */
  *#visits(before: number): Generator<number> {
    const count = this.#rest;
    let at = 0;
    for (const key of this.#known.keys()) {
      if (at === count) break;
      yield at++ < before ? 0 : this.#comeTo(key);
    }
    at = 0;
    for (const key of this.#known.keys()) {
      if (at++ === before) break;
      yield this.#comeTo(key);
    }
    this.#rest = 0; // the others have gone
  }

  #comeTo(key: K): number {
    this.#rest--;
    return this.#visit(key);
  }
}
