import { expect } from 'chai';
import { ManualClock, SystemTimer, TimerTask } from '../../src/index.ts';
import { manual, Task } from '../support/task.ts';

describe('TimerTask', () => {
  it('can be used again after a run and after a cancel, in another timer too', () => {
    const clock = new ManualClock();
    const first = new SystemTimer({ clock });
    const second = new SystemTimer({ clock });
    const task = new Task(5);
    first.add(task);
    clock.advance(5);
    second.add(task);
    task.cancel();
    first.add(task);
    clock.advance(5);
    expect(task.runs).to.equal(2);
  });

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

  it('is pending no longer for the onError that gets its throw, which may add it again (behaviour 5)', () => {
    const pending: boolean[] = [];
    const clock = new ManualClock();
    const timer = new SystemTimer({
      clock,
      onError: (_, task) => {
        pending.push(task.isPending);
        timer.add(task);
      },
    });
    const log: number[] = [];
    timer.schedule(() => {
      if (log.push(clock.now()) < 3) throw undefined;
    }, 5);
    clock.advance(50);
    expect([log, pending]).to.deep.equal([
      [5, 10, 15],
      [false, false],
    ]);
  });
});
