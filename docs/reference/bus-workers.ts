/**
 * A bus between the worker threads of one process, by BroadcastChannel.
 *
 * @example
 * {@includeCode ./bus-workers.example.ts}
 *
 * @module purgatory/bus/workers
 */
export * from '../../src/bus/transports/workers.ts';
