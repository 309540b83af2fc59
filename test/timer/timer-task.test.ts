import { expect } from 'chai';
import { ManualClock, SystemTimer, TimerTask } from '../../src/index.ts';
import { manual, Task } from '../support/task.ts';

describe('TimerTask', () => {
  it('is taken out by remove of its own timer only', () => {
    const { clock, timer } = manual();
    const stranger = new SystemTimer({ clock });
    const task = new Task(5);
    timer.add(task);
    expect(stranger.remove(task)).to.equal(false);
    expect(task.isPending).to.equal(true);
    expect(timer.remove(task)).to.equal(true);
    expect(timer.remove(task)).to.equal(false);
    expect(task.isPending).to.equal(false);
    expect(timer.size).to.equal(0);
  });

  it('says which class lacks run, where TypeScript did not', () => {
    class Forgetful extends (TimerTask as unknown as new (delayMs: number) => Task) {}
    const clock = new ManualClock();
    const errors: unknown[] = [];
    const timer = new SystemTimer({ clock, onError: (error) => errors.push(error) });
    timer.add(new Forgetful(5));
    clock.advance(5);
    expect(errors).to.have.length(1);
    expect(errors[0])
      .to.be.instanceOf(Error)
      .and.include({ code: 'ERR_METHOD_NOT_IMPLEMENTED' })
      .with.property('message', 'The class Forgetful does not implement run()');
  });
});
