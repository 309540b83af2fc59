/**
 * A bus over Redis or Valkey, with your own client: ioredis, iovalkey or node-redis. The bus
 * duplicates the client to subscribe.
 *
 * @example
 * {@includeCode ./bus-redis.example.ts}
 *
 * @module purgatory/bus/redis
 */
export * from '../../src/bus/transports/redis.ts';
