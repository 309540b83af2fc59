/**
 * Drop-in `setTimeout` and `setInterval` of `node:timers/promises`, on a timing wheel.
 *
 * @example
 * {@includeCode ./timers-promises.example.ts}
 *
 * @module purgatory/timers/promises
 */
export * from '../../src/waits/timers/promises.ts';
