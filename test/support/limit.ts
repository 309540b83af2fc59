/**
 * After this, what a test waits for has hung: less than the limit of mocha, ten minutes, so that the
 * wait says what it waited for. In milliseconds.
 */
export const LIMIT_MS = 570_000;
