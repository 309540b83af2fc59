/**
 * The client of an HTTP request, or the other end of a connection, as an AbortSignal: a wait whose
 * client has gone ends at once.
 *
 * @example
 * {@includeCode ./http.example.ts}
 *
 * @module purgatory/http
 */
export * from '../../src/waits/http/index.ts';
