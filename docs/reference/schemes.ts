/**
 * Seven more timers, those of Varghese and Lauck (1987) by their numbers, each a `Timer`. The page docs/schemes.md says when
 * to pick which. {@link HashedWheelTimer} also has the words of Netty.
 *
 * @example
 * {@includeCode ./schemes.example.ts}
 *
 * @module purgatory/schemes
 */
export * from '../../src/schemes/index.ts';
