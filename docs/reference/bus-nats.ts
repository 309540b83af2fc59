/**
 * A bus over NATS, with your own connection of `@nats-io/transport-node`. Make the connection with
 * `maxReconnectAttempts: -1`.
 *
 * @example
 * {@includeCode ./bus-nats.example.ts}
 *
 * @module purgatory/bus/nats
 */
export * from '../../src/bus/transports/nats.ts';
