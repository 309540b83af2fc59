/**
 * Permits by key, first come first served: a lock, a limit, the places of a pool.
 *
 * @example
 * {@includeCode ./semaphore.example.ts}
 *
 * @module purgatory/semaphore
 */
export * from '../../src/waits/semaphore/index.ts';
