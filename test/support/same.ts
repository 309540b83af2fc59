// Comparisons for models, which make millions of them. To build chai's `expect` takes longer than a
// step of most models. So it is asked only for what differs, and its error is the same.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';

/** As `expect(actual, what).to.equal(expected)`. */
export function same<T>(actual: T, expected: T, what?: string): void {
  if (actual !== expected) expect(actual, what).to.equal(expected);
}

/** As `expect(actual, what).to.deep.equal(expected)`. */
export function deeplySame(actual: unknown, expected: unknown, what?: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).to.deep.equal(expected);
}
