import { historiesOf, playShortHistories } from './short-histories.ts';

// Five acts are 6.4 million histories: `npm run soak -- --only short`.
describe('Property: all short histories of two operations and two keys', function () {
  this.timeout(0);

  for (const acts of [0, 1, 2, 3, 4]) {
    it(`of ${acts} acts: ${historiesOf(acts).toLocaleString('en')}`, () =>
      playShortHistories(acts, Array(historiesOf(acts)).keys()));
  }
});
