import { expect } from 'chai';
import { bundled } from '../support/bundled.ts';
import { ok, runNode, summary } from '../support/child.ts';

it('behaviour 8: waits and timers come where the time of the host begins anew', async () => {
  const child = await runNode([await bundled('test/host/children/time-goes-back.ts')]);
  expect(summary(child)).to.deep.equal(ok('after,before'));
});
