/**
 * A bus over PostgreSQL's LISTEN and NOTIFY. With {@link notifyInTransaction}, a hint is published
 * when its transaction commits, and only then.
 *
 * @example
 * {@includeCode ./bus-postgres.example.ts}
 *
 * @module purgatory/bus/postgres
 */
export * from '../../src/bus/transports/postgres.ts';
