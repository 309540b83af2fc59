import fc from 'fast-check';
import { purgatoryHistory } from './purgatory-arbitraries.ts';
import { PurgatoryHistory } from './purgatory-history.ts';
import { longRuns, runs } from './runs.ts';

describe('Property: a Purgatory behaves as a Map of arrays', function () {
  this.timeout(0);

  it('in short histories of every kind', async () => {
    await fc.assert(
      fc.asyncProperty(purgatoryHistory({ minSteps: 1, maxSteps: 60, closes: true }), (history) =>
        new PurgatoryHistory(history).play(),
      ),
      runs(500),
    );
  });

  it('in long histories', async () => {
    await fc.assert(
      fc.asyncProperty(purgatoryHistory({ minSteps: 300, maxSteps: 600 }), (history) =>
        new PurgatoryHistory(history).play(),
      ),
      longRuns(10),
    );
  });

  it('in histories of bursts, which make it grow and shrink', async () => {
    const size = { minSteps: 5, maxSteps: 30, bursts: true };
    await fc.assert(
      fc.asyncProperty(purgatoryHistory(size), (history) => new PurgatoryHistory(history).play()),
      longRuns(40),
    );
  });
});
