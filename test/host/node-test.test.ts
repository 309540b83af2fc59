import { expect } from 'chai';
import { ok, runChild, summary } from '../support/child.ts';

describe('behaviour 12: the mock timers of node:test', () => {
  // In a process of its own, as Node 20 warns of them as experimental.
  it('with Date: what was pending before them and during them comes, by the real clock after them too', async () => {
    const result = await runChild('node-test', [], ['--no-warnings']);
    expect(summary(result)).to.deep.equal(ok('all well'));
  });
});
