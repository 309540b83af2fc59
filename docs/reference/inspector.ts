/**
 * One read-only page that shows purgatories and timers at work, on loopback or mounted in a server
 * of yours.
 *
 * @example
 * {@includeCode ./inspector.example.ts}
 *
 * @module purgatory/inspector
 */
export * from '../../src/observe/inspector/index.ts';
