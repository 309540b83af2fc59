import { expect } from 'chai';
import { ok, runChild, summary } from '../support/child.ts';

describe('behaviour 20: ten thousand waitFor on one AbortSignal', () => {
  it('print no warning, and leave no listener behind', async () => {
    expect(summary(await runChild('abort-signal'))).to.deep.equal(ok('all well'));
  });
});
