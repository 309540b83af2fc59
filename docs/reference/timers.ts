/**
 * Drop-in `setTimeout` and `setInterval` on a timing wheel. {@link timeoutSignal} is an
 * `AbortSignal.timeout` that can be ended, takes a parent, and follows fake clocks.
 *
 * @example
 * {@includeCode ./timers.example.ts}
 *
 * @module purgatory/timers
 */
export * from '../../src/waits/timers/index.ts';
