/**
 * Items by key, handed over to those who wait for them: a job queue, a pool, BLPOP.
 *
 * @example
 * {@includeCode ./queues.example.ts}
 *
 * @module purgatory/queues
 */
export * from '../../src/waits/queues/index.ts';
