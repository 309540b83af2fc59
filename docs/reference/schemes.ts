/**
 * Seven more timers, those of Varghese and Lauck (1987) with their numbers, each a `Timer`.
 * docs/schemes.md says when to pick which. {@link HashedWheelTimer} also has Netty's API.
 *
 * @example
 * {@includeCode ./schemes.example.ts}
 *
 * @module purgatory/schemes
 */
export * from '../../src/waits/schemes/index.ts';
