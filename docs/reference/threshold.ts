/**
 * Waits for a key to reach a value: an offset that is replicated, bytes that are there to read.
 *
 * A {@link ThresholdPurgatory} remembers the last value of each key. `advance` ends the waits that
 * the new value reaches, and looks at no other. So it costs O(completed x log waiting).
 *
 * @example
 * {@includeCode ./threshold.example.ts}
 *
 * @module purgatory/threshold
 */
export * from '../../src/waits/threshold/index.ts';
