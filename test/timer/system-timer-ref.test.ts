import { expect } from 'chai';
import { type Clock, ManualClock, SystemTimer } from '../../src/index.ts';
import { Task } from '../support/task.ts';
import { turn } from '../support/turns.ts';

describe('behaviour 10: ref and unref (see also test/host/liveness.test.ts)', () => {
  it('work with a clock whose wake-ups know neither', async () => {
    const wakes: (() => void)[] = [];
    const clock: Clock = {
      now: () => 0,
      wakeAt: (_, wake) => {
        wakes.push(wake);
        return { cancel() {} };
      },
    };
    const timer = new SystemTimer({ clock }).unref();
    timer.add(new Task(5));
    await turn();
    timer.ref();
    timer.unref();
    expect(wakes).to.have.length(1);
    timer.close();
  });

  it('do no harm after close', () => {
    const timer = new SystemTimer({ clock: new ManualClock() });
    timer.add(new Task(5));
    timer.close();
    expect(timer.unref().hasRef()).to.equal(false);
    expect(timer.ref().hasRef()).to.equal(true);
  });
});
