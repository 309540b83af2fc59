import { expect } from 'chai';
import { type Clock, Purgatory, SystemTimer, type WakeUp } from '../../src/index.ts';
import { Op } from '../support/op.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { microtasks } from '../support/turns.ts';

describe('A clock of the user', () => {
  for (const isStill of [undefined, true]) {
    const served = isStill ? 'is served in one turn' : 'has slices';
    it(`behaviour 26: ${isStill ? 'that says it is still' : 'that says nothing'} ${served}`, async () => {
      const clock = Object.assign(new SlowClock(), { isStill });
      const purgatory = new Purgatory<string, Op>('polls', { clock });
      let tried = 0;
      const onTry = (): void => {
        tried++;
        clock.advance(1);
      };
      for (let i = 0; i < 100; i++) {
        purgatory.tryCompleteElseWatch(new Op(`op${i}`, { onTry }), ['feed']);
      }
      tried = 0;
      purgatory.notify('feed');
      await microtasks();
      if (isStill) expect(tried).to.equal(100);
      else expect(tried).to.be.below(100);
      purgatory.close();
    });
  }

  it('has a new slice where the last one was not closed for longer than a turn takes', async () => {
    const clock = new SlowClock();
    const purgatory = new Purgatory<string, Op>('polls', { clock });
    const answered = async (afterMs: number): Promise<boolean> => {
      let value: true | undefined;
      const poll = purgatory.waitFor(['feed'], () => value, { timeoutMs: 60_000 });
      clock.advance(afterMs);
      value = true;
      purgatory.notify('feed');
      await microtasks();
      return (await Promise.race([poll, { value: false }])).value === true;
    };
    expect([await answered(0), await answered(1_000)]).to.deep.equal([true, true]);
    purgatory.close();
  });

  for (const isStepped of [undefined, true]) {
    const woken = isStepped ? 'for each task' : 'for a bucket first';
    it(`${isStepped ? 'that says it is stepped' : 'that says nothing'} is asked to wake ${woken}`, () => {
      const asked: number[] = [];
      const clock: Clock = {
        now: () => 0,
        wakeAt: (atMs): WakeUp => {
          asked.push(atMs);
          return { cancel: () => {} };
        },
        isStepped,
      };
      const timer = new SystemTimer({ clock, tickMs: 1, wheelSize: 4 });
      const first = timer.schedule(() => {}, 7);
      timer.schedule(() => {}, 9); // a fake may have forgotten the first
      first.cancel();
      expect(asked).to.deep.equal(isStepped ? [7, 7, 9] : [4]);
      timer.close();
    });
  }
});
