/**
 * Drop-in `setTimeout` and `setInterval` on a timing wheel, and {@link timeoutSignal}: `AbortSignal.timeout` that can be ended,
 * that takes a parent, and that fake clocks move.
 *
 * @example
 * {@includeCode ./timers.example.ts}
 *
 * @module purgatory/timers
 */
export * from '../../src/timers/timers.ts';
