import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';
import { Scenario } from './scenario.ts';

const ACTIONS = 60;
const seeds = fc.nat({ max: 2 ** 31 - 1 });

class Thrown extends Error {}

/** Plays it with a throw of callback `at`; false if it has fewer. */
function play(seed: number, at: number): boolean {
  let callbacks = 0;
  let arrived = 0;
  const onCallback = (): void => {
    if (++callbacks === at) throw new Thrown();
  };
  let wrong: unknown;
  const onError = (error: unknown): void => {
    if (error instanceof Thrown) arrived++;
    else wrong ??= error;
  };
  const perform = (action: () => void): boolean => {
    try {
      action();
    } catch (error) {
      onError(error);
    }
    return true;
  };
  const scenario = new Scenario(seed, onCallback, onError, perform);
  scenario.play(ACTIONS);
  scenario.end();
  if (wrong !== undefined) throw wrong;
  // A throw of an attempt rejects its promise, and goes nowhere else.
  expect(arrived).to.be.at.most(1);
  return callbacks >= at;
}

describe('Property: a scenario with callbacks of every kind', function () {
  this.timeout(0);

  it('leaves the engine sound, and brings the error once, whichever callback throws (behaviours 5 and 18)', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        for (let at = 1; play(seed, at); at++);
      }),
      runs(30),
    );
  });
});
