/**
 * What happens to operations and tasks, as it happens. Each event has a channel of
 * `node:diagnostics_channel`. Channels without listeners cost next to nothing.
 *
 * @example
 * {@includeCode ./events.example.ts}
 *
 * @module purgatory/events
 */
export * from '../../src/observe/events/index.ts';
