/**
 * Waits on state that is kept elsewhere, in a database or a cache. However many operations wait for
 * a key, a process reads it once for all of them.
 *
 * @example
 * {@includeCode ./shared.example.ts}
 *
 * @module purgatory/shared
 */
export * from '../../src/waits/shared/index.ts';
