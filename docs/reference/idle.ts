/**
 * Idle timeouts for connections and sessions. A sign of life is one call,
 * {@link IdleTimeouts.touch}, which costs little more than a write to a field.
 *
 * @example
 * {@includeCode ./idle.example.ts}
 *
 * @module purgatory/idle
 */
export * from '../../src/waits/idle/index.ts';
