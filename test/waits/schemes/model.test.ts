import fc from 'fast-check';
import { checkTimerInvariants } from '../../../src/timer/timer.ts';
import { longRuns, runs } from '../../property/runs.ts';
import { timerHistory } from '../../property/timer-arbitraries.ts';
import { type Player, TimerHistory } from '../../property/timer-history.ts';
import { type AnyTimer, contenders } from './timers.ts';

/** The most buckets that the invariants are checked over after every step. */
const MOST_BUCKETS = 64;

describe('Property: every timer behaves as a sorted list', function () {
  this.timeout(0);

  for (const { name, make } of contenders) {
    const player: Player = {
      make: (options) => make({ ...options, wheelSize: Math.min(options.wheelSize!, MOST_BUCKETS) }),
      check: (timer) => checkTimerInvariants(timer as AnyTimer),
    };

    it(`${name}, in short histories of every kind`, () => {
      fc.assert(
        fc.property(timerHistory(1, 60, 12), (history) => new TimerHistory(history, player).play()),
        runs(200),
      );
    });

    it(`${name}, in long histories`, () => {
      fc.assert(
        fc.property(timerHistory(400, 800, 64), (history) => new TimerHistory(history, player).play()),
        longRuns(5),
      );
    });
  }
});
