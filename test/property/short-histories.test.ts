import { expect } from 'chai';
import { bundled } from '../support/bundled.ts';
import { ok, runNode, summary } from '../support/child.ts';
import { historiesOf, playShortHistories } from './short-histories.ts';

// Five acts are 6.4 million histories: `npm run soak -- --only short`.
describe('Property: all short histories of two operations and two keys', function () {
  this.timeout(0);

  for (const acts of [0, 1, 2, 3]) {
    it(titleOf(acts), () => playShortHistories(acts, Array(historiesOf(acts)).keys()));
  }

  // What they cover, the shorter ones do. Without coverage they take a third of the time.
  it(titleOf(4), async () => {
    const child = await bundled('test/property/children/short-histories.ts');
    const result = await runNode([child, '4'], { limitMs: 300_000 });
    expect(summary(result)).to.deep.equal(ok(`${historiesOf(4)} histories`));
  });
});

function titleOf(acts: number): string {
  return `of ${acts} acts: ${historiesOf(acts).toLocaleString('en')}`;
}
