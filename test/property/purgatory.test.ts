import fc from 'fast-check';
import { purgatoryHistory, type Size } from './purgatory-arbitraries.ts';
import { PurgatoryHistory } from './purgatory-history.ts';
import { longRuns, runs } from './runs.ts';

function histories(size: Size) {
  return fc.property(purgatoryHistory(size), (history) => new PurgatoryHistory(history).play());
}

describe('behaviour 13, behaviour 16 and behaviour 18: a Purgatory behaves as a Map of arrays', function () {
  this.timeout(0);

  it('in short histories of every kind', () => {
    fc.assert(histories({ minSteps: 1, maxSteps: 60, closes: true }), runs(500));
  });

  it('in long histories', () => {
    fc.assert(histories({ minSteps: 300, maxSteps: 600 }), longRuns(10));
  });

  it('in histories of bursts, which make it grow and shrink', () => {
    fc.assert(histories({ minSteps: 5, maxSteps: 30, bursts: true }), longRuns(40));
  });
});
