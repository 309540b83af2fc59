/**
 * An operation that answers in the `AsyncLocalStorage` context of the request that made it,
 * whoever completes it.
 *
 * Other operations run in the context of the event or of the timer.
 *
 * @example
 * {@includeCode ./async-context.example.ts}
 *
 * @module purgatory/async-context
 */
export * from '../../src/waits/async-context/index.ts';
