/**
 * The engine: purgatories, the operations that are parked in them, timers and clocks.
 *
 * Take {@link Purgatory} with `waitFor` to await a condition. Extend {@link DelayedOperation} to get
 * a callback in place of a promise. {@link SystemTimer} is the timer alone. {@link ManualClock} is
 * for tests.
 *
 * @example
 * {@includeCode ./index.example.ts}
 *
 * @module purgatory
 */
export * from '../../src/index.ts';
