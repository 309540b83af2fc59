// A walk over the keys of a ThresholdPurgatory that have waiting operations, for a sweep. It calls
// `visit` with each.
//
// Ground rules. The walk goes in the order in which keys were made. New keys are at the end, and a
// dropped key moves only those behind it forward. So a round that begins after `start` keys takes
// one step for each key behind those, and then `start` steps from the first key on. It meets every
// key that was there and stays.
import type { Walk } from '../purgatory/sweep.ts';
import type { ThresholdValue } from './threshold-heap.ts';
import type { Thresholds, WaitedKey } from './thresholds.ts';

export class KeyWalk<K, V extends ThresholdValue> implements Walk {
  readonly #thresholds: Thresholds<K, V>;
  readonly #visit: (key: K) => void;
  #keys: Iterator<WaitedKey<K>>;
  /** Keys that it has gone past since the first. */
  #passed = 0;
  /**
   * Steps to where the round begins. Then its steps to the last key, and those from the first key
   * on.
   */
  #skip = 0;
  #ahead = 0;
  #behind = 0;

  /** @param visit throws nothing. */
  constructor(thresholds: Thresholds<K, V>, visit: (key: K) => void) {
    this.#thresholds = thresholds;
    this.#visit = visit;
    this.#keys = thresholds.waitedKeys();
  }

  get left(): number {
    return this.#skip + this.#ahead + this.#behind;
  }

  begin(random?: number): void {
    const { levels } = this.#thresholds;
    const start = random === undefined ? Math.min(this.#passed, levels) : Math.floor(random * levels);
    this.#startOver();
    this.#skip = start;
    this.#ahead = levels - start;
    this.#behind = start;
  }

  step(): number {
    const next = this.#keys.next();
    this.#passed++;
    if (this.#skip > 0) {
      this.#skip--;
      return 0;
    }
    if (this.#ahead > 0) {
      this.#ahead--;
      if (this.#ahead === 0 || next.done) {
        this.#ahead = 0;
        this.#startOver();
      }
    } else {
      this.#behind--;
      if (next.done) this.#behind = 0;
    }
    if (next.done || next.value.waiting === 0) return 0;
    this.#visit(next.value.key);
    return next.value.waiting;
  }

  #startOver(): void {
    this.#keys = this.#thresholds.waitedKeys();
    this.#passed = 0;
  }
}
