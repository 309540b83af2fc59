import { expect } from 'chai';
import { ok, runChild, summary } from '../../support/child.ts';

describe('IdleTimeouts on the host’s own time', () => {
  it('are never early and no later than they say, whatever is touched and blocks the loop, as long as it may be', async () => {
    expect(summary(await runChild('idle-stretches'))).to.deep.equal(ok('ok'));
  });
});
