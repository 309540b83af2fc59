import { expect } from 'chai';
import { bundled } from '../support/bundled.ts';
import { ok, runNode, summary } from '../support/child.ts';
import { isFull } from '../support/full.ts';
import { historiesOf, playShortHistories } from './short-histories.ts';

/**
 * Of the longest histories, one in so many is played. This is prime to the number of acts, so any
 * three acts meet at any three of the four places.
 */
const STEP = isFull ? 1 : 5;

// Five acts are 6.4 million histories: docs/contributors/soak.md has the command.
describe('Property: short histories of two operations and two keys', function () {
  this.timeout(0);

  for (const acts of [0, 1, 2, 3]) {
    it(titleOf(acts), () => playShortHistories(acts, Array(historiesOf(acts)).keys()));
  }

  // What they cover, the shorter ones do. Without coverage they take a third of the time.
  it(titleOf(4, STEP), async () => {
    const child = await bundled('test/property/children/short-histories.ts');
    const result = await runNode([child, '4', `${STEP}`], { limitMs: 300_000 });
    expect(summary(result)).to.deep.equal(ok(`${Math.ceil(historiesOf(4) / STEP)} histories`));
  });
});

function titleOf(acts: number, step = 1): string {
  return `of ${acts} acts: ${step === 1 ? 'all' : `one in ${step} of`} ${historiesOf(acts).toLocaleString('en')}`;
}
