import { expect } from 'chai';
import { ManualClock } from '../../src/index.ts';
import { waitOnce } from '../../src/timer/barrier.ts';
import { rejection } from '../support/rejection.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

describe('waitOnce', () => {
  it('rejects with what begin throws, and its deadline comes to nothing', async () => {
    const clock = new ManualClock();
    const boom = new Error('no listener');
    const begin = (): never => {
      throw boom;
    };
    const uncaught = await uncaughtDuring(0, async () => {
      expect(await rejection(waitOnce(clock, { timeoutMs: 10 }, begin))).to.equal(boom);
      clock.advance(10);
    });
    expect(uncaught).to.deep.equal([]);
  });
});
