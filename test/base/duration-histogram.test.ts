import { expect } from 'chai';
import { quantile } from '../../src/base/duration-histogram.ts';

describe('the quantile of a histogram', () => {
  it('is the bound of its bin, and Infinity past the last', () => {
    expect(quantile([1, 2], [0, 0, 0], 0.99)).to.equal(undefined);
    expect(quantile([1, 2], [99, 1, 0], 0.99)).to.equal(1);
    expect(quantile([1, 2], [98, 2, 0], 0.99)).to.equal(2);
    expect(quantile([1, 2], [1, 1, 8], 0.99)).to.equal(Number.POSITIVE_INFINITY);
  });
});
