import { expect } from 'chai';
import { checkTimerInvariants } from '../../../src/timer/timer.ts';
import { codeOf } from '../../support/code-of.ts';
import { HostClock } from '../../support/host-clock.ts';
import { Task } from '../../support/task.ts';
import { rig } from './rig.ts';
import { contenders } from './timers.ts';

for (const contender of contenders) {
  describe(`${contender.name}: reaper and close`, () => {
    it('holds one wake-up while something is pending, and none else', () => {
      const clock = new HostClock();
      const timer = contender.make({ clock });
      expect(clock.outstanding.size).to.equal(0);
      const far = timer.schedule(() => {}, 50);
      const near = timer.schedule(() => {}, 20);
      expect(clock.next?.atMs).to.equal(20);
      near.cancel();
      clock.time = 20;
      clock.fire();
      expect(clock.outstanding.size).to.equal(1);
      expect(clock.next?.atMs).to.be.at.most(50);
      far.cancel();
      expect(clock.outstanding.size).to.equal(0);
      expect(clock.most).to.equal(1);
    });

    it('sleeps over the ticks in which nothing is due', () => {
      const clock = new HostClock();
      const timer = contender.make({ clock });
      let runs = 0;
      for (const delayMs of [700, 70_000]) timer.schedule(() => runs++, delayMs);
      while (timer.size > 0) {
        clock.time = clock.next!.atMs;
        clock.fire();
      }
      expect(runs).to.equal(2);
      expect(clock.wakes).to.be.at.most(8);
    });

    it('keeps the process alive unless unref(), which the next wake-up keeps to', () => {
      const clock = new HostClock();
      const timer = contender.make({ clock });
      timer.schedule(() => {}, 5);
      expect([timer.hasRef(), clock.next?.hasRef]).to.deep.equal([true, true]);
      expect(timer.unref()).to.equal(timer);
      expect([timer.hasRef(), clock.next?.hasRef]).to.deep.equal([false, false]);
      timer.schedule(() => {}, 1);
      expect(clock.next?.hasRef).to.equal(false);
      timer.ref();
      expect(clock.next?.hasRef).to.equal(true);
      timer.close();
    });

    it('yields after sliceMs of callbacks and goes on in the next turn, in order', () => {
      const clock = new HostClock();
      const timer = contender.make({ clock, sliceMs: 5 });
      const log: number[] = [];
      for (let index = 0; index < 10; index++) {
        timer.schedule(() => {
          log.push(index);
          clock.time += 2;
        }, 1);
      }
      clock.time = 1;
      clock.fire();
      expect(log.length).to.be.within(2, 4);
      checkTimerInvariants(timer);
      expect(timer.nextExpirationMs).to.be.at.most(clock.time);
      timer.schedule(() => log.push(10), 0);
      while (timer.size > 0) clock.fire();
      expect(log).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    it('closes for good and once: returns what never ran by deadline, then refuses', () => {
      const { clock, timer, add, runTo, log } = rig(contender, { reaper: false });
      runTo(3);
      const tasks = [70_000, 5, 0, 900, 5].map((delayMs, index) => add(`${index}`, delayMs));
      expect(timer.close()).to.deep.equal([tasks[2], tasks[1], tasks[4], tasks[3], tasks[0]]);
      expect(timer.close()).to.deep.equal([]);
      expect(timer.size).to.equal(0);
      expect(timer.nextExpirationMs).to.equal(undefined);
      expect(tasks.some((task) => task.isPending)).to.equal(false);
      expect(codeOf(() => timer.add(new Task(1)))).to.equal('ERR_PURGATORY_CLOSED');
      clock.advance(100_000);
      expect(timer.advanceClock()).to.equal(0);
      expect(log).to.deep.equal([]);
      checkTimerInvariants(timer);
    });

    it('closes from inside a task: the rest of the pass comes back and does not run', () => {
      const { clock, timer, add, log } = rig(contender);
      let rest: unknown;
      add('a', 5, () => {
        rest = timer.close();
      });
      const tasks = [add('b', 5), add('c', 6)];
      clock.advance(10);
      expect(log).to.deep.equal(['a@5']);
      expect(rest).to.deep.equal(tasks);
    });

    it('closes at the end of a using block', () => {
      const { timer, add } = rig(contender);
      const task = add('a', 5);
      timer[Symbol.dispose]();
      expect(task.isPending).to.equal(false);
      expect(codeOf(() => timer.add(task))).to.equal('ERR_PURGATORY_CLOSED');
    });
  });
}
