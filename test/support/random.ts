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

/** A number in [0, 1) that depends on `parts` alone, not on how many were drawn before. */
export function noise(...parts: readonly number[]): number {
  let mixed = 0x9e3779b9;
  for (const part of parts) {
    // The whole part, and what is behind the point.
    for (const word of [part | 0, (part - Math.trunc(part)) * 2 ** 32]) {
      mixed = Math.imul(mixed ^ word, 0x85ebca6b);
      mixed ^= mixed >>> 13;
    }
  }
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
