/**
 * A bus between the workers of `node:cluster`. The primary relays; no server is needed.
 *
 * @example
 * {@includeCode ./bus-cluster.example.ts}
 *
 * @module purgatory/bus/cluster
 */
export * from '../../src/bus/transports/cluster.ts';
