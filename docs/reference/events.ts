/**
 * What happens to operations and tasks, as it happens: channels of `node:diagnostics_channel`, one an event. While nobody
 * listens they cost nothing.
 *
 * @example
 * {@includeCode ./events.example.ts}
 *
 * @module purgatory/events
 */
export * from '../../src/events/index.ts';
