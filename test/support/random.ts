// Numbers by a seed.
import { seeded } from '../../src/base/random.ts';

export class Random {
  /** A number in [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  /** A whole number from 0 to below `end`, which is at most 2^32. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  range(least: number, most: number): number {
    return least + this.next() * (most - least);
  }
}
