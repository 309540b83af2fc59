// Numbers by a seed: Mulberry32, a public-domain generator by Tommy Ettinger. About 3 ns each. For
// what is to be repeated, never for secrets.

/** Returns a source of numbers in [0, 1): the same numbers for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
