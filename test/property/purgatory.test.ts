import fc from 'fast-check';
import { purgatoryHistory } from './purgatory-arbitraries.ts';
import { PurgatoryHistory } from './purgatory-history.ts';
import { longRuns, runs } from './runs.ts';

describe('Property: a Purgatory behaves as a Map of arrays', function () {
  this.timeout(0);

  it('in short histories of every kind', async () => {
    await fc.assert(
      fc.asyncProperty(purgatoryHistory(1, 60, true), (history) => new PurgatoryHistory(history).play()),
      runs(500),
    );
  });

  it('in long histories', async () => {
    await fc.assert(
      fc.asyncProperty(purgatoryHistory(300, 600, false), (history) => new PurgatoryHistory(history).play()),
      longRuns(10),
    );
  });
});
