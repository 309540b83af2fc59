/**
 * Pending calls by correlation id: for remote calls over any connection that carries messages.
 *
 * @example
 * {@includeCode ./replies.example.ts}
 *
 * @module purgatory/replies
 */
export * from '../../src/waits/replies/index.ts';
