import { expect } from 'chai';
import fc from 'fast-check';
import { uncaughtDuring } from '../support/uncaught.ts';
import { runs } from './runs.ts';
import { TimersInTurns } from './timers-in-turns.ts';
import { timersHistory } from './timers-in-turns-acts.ts';

describe('Property: the timers of the system clock', function () {
  this.timeout(0);

  it('run each task once, in order, none early, and take one slice of a turn together', async () => {
    const property = fc.asyncProperty(timersHistory, (history) => new TimersInTurns(history).play());
    expect(await uncaughtDuring(0, () => fc.assert(property, runs(900)))).to.deep.equal([]);
  });
});
