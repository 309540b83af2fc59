import { expect } from 'chai';
import { ok, runChild, summary } from '../support/child.ts';

describe('A chain of events that overflows the stack, wherever that is', () => {
  it('leaves the watchers of a hot key sound, which it takes out on its way', async () => {
    const flags = ['--no-opt', '--no-sparkplug', '--stack-size=150'];
    expect(summary(await runChild('overflow', [], flags))).to.deep.equal(ok('all well'));
  }).timeout(60_000);
});
