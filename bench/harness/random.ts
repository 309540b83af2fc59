/**
 * Seeded random input, made before the clock of a workload starts. Every system and every round
 * sees the same numbers.
 */

/**
 * A generator of doubles in [0, 1), the same for the same seed: xorshift32. Its period of 2^32 - 1
 * is far more than a run draws.
 */
export function seeded(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

/** `count` integers in [low, high]. */
export function integers(count: number, low: number, high: number, seed = 1): Int32Array {
  const random = seeded(seed);
  return Int32Array.from({ length: count }, () => low + Math.floor(random() * (high - low + 1)));
}

/**
 * `count` log-normal values with the given median and 75th percentile (the latencies of Kafka's
 * load test).
 */
export function logNormals(count: number, p50: number, p75: number, seed = 1): Float64Array {
  const random = seeded(seed);
  const sigma = Math.log(p75 / p50) / 0.6744897501960817;
  return Float64Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return p50 * Math.exp(sigma * normal);
  });
}

/**
 * Draws `count` of `from` without putting them back (Fisher and Yates). Moves them to its end, in
 * random order, and returns that part.
 */
export function draw(from: Int32Array, count: number, random: () => number): Int32Array {
  const rest = from.length - count;
  for (let index = from.length - 1; index >= rest; index--) {
    const other = Math.floor(random() * (index + 1));
    [from[index], from[other]] = [from[other], from[index]];
  }
  return from.subarray(rest);
}

/** 0 to count - 1 in random order. */
export function shuffled(count: number, seed = 1): Int32Array {
  const order = Int32Array.from({ length: count }, (_, index) => index);
  return draw(order, count, seeded(seed));
}

/** `count` lists of `perList` different keys out of `keys`. */
export function keyLists<K>(count: number, keys: readonly K[], perList: number, seed = 1): K[][] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => {
    const list = new Set<K>();
    while (list.size < perList) list.add(keys[Math.floor(random() * keys.length)]);
    return [...list];
  });
}
