import { expect } from 'chai';
import { Purgatory, SystemTimer } from '../../../src/index.ts';
import { checkTimerInvariants } from '../../../src/timer/timer.ts';
import { codeOf } from '../../support/code-of.ts';
import { Op } from '../../support/op.ts';
import { Task } from '../../support/task.ts';
import { uncaughtDuring } from '../../support/uncaught.ts';
import { rig } from './rig.ts';
import { contenders } from './timers.ts';

for (const contender of contenders) {
  describe(`${contender.name}: tasks`, () => {
    it('cancels and removes what is pending, once, wherever it lies', () => {
      const { clock, timer, add, log } = rig(contender);
      const tasks = [1, 1, 5, 70, 5, 70_000, 0].map((delayMs, index) => add(`${index}`, delayMs));
      for (const [index, task] of tasks.entries()) {
        if (index % 2 === 0) expect(task.cancel()).to.equal(true);
        else expect(timer.remove(task)).to.equal(true);
        checkTimerInvariants(timer);
        expect(task.cancel()).to.equal(false);
        expect(timer.remove(task)).to.equal(false);
        expect(task.isPending).to.equal(false);
      }
      expect(timer.nextExpirationMs).to.equal(undefined);
      clock.advance(100_000);
      expect(log).to.deep.equal([]);
    });

    it('lets tasks add, cancel, move and re-add from inside run, their own tick included', () => {
      const { clock, timer, add, runTo, log } = rig(contender);
      add('a', 5, () => {
        expect(second.cancel()).to.equal(true);
        timer.add(third);
        add('new', 2);
      });
      const second = add('second', 5);
      const third = add('third', 5);
      const again = add('again', 5, (self) => {
        expect(self.isPending).to.equal(false);
        if (self.runs > 1) return;
        expect(timer.size).to.equal(2);
        timer.add(self);
      });
      runTo(5);
      checkTimerInvariants(timer);
      clock.advance(100);
      expect(again.runs).to.equal(2);
      expect(log).to.deep.equal(['a@5', 'again@5', 'new@7', 'third@10', 'again@10']);
    });

    it('does nothing in an advanceClock, or a nested advance of the clock, from inside run', () => {
      const { clock, timer, add, log } = rig(contender);
      add('a', 1, () => {
        expect(timer.advanceClock()).to.equal(0);
        add('b', 1);
        clock.advance(5);
      });
      clock.advance(2);
      expect(log).to.deep.equal(['a@1']);
      clock.advance(1);
      expect(log).to.deep.equal(['a@1', 'b@6']);
      checkTimerInvariants(timer);
    });

    it('arms anew for what a task adds during an advanceClock by hand, while a wake-up is outstanding', () => {
      const { clock, timer, add, log } = rig(contender);
      add('far', 100, () => {});
      add('now', 0, () => add('near', 10));
      expect(timer.advanceClock()).to.equal(1);
      checkTimerInvariants(timer);
      clock.advance(10);
      expect(log).to.deep.equal(['now@0', 'near@10']);
    });

    it('hands what a task throws to onError, counts it, and runs the others', () => {
      const seen: unknown[] = [];
      const { clock, timer, add, log } = rig(contender, {
        reaper: false,
        onError: (error, task) => seen.push([(error as Error).message, (task as Task).label]),
      });
      const fail = (): never => {
        throw new Error('sore');
      };
      add('a', 1, fail);
      add('b', 1);
      clock.advance(1);
      expect(timer.advanceClock()).to.equal(2);
      expect(log).to.deep.equal(['a@1', 'b@1']);
      expect(seen).to.deep.equal([['sore', 'a']]);
    });

    it('makes it an uncaught exception of a later turn without onError, and so what onError throws', async () => {
      const errors = await uncaughtDuring(2, () => {
        const plain = rig(contender);
        plain.timer.schedule(() => {
          throw new Error('from run');
        }, 1);
        plain.clock.advance(1);
        const handled = rig(contender, {
          onError: () => {
            throw new Error('from onError');
          },
        });
        handled.timer.schedule(() => {
          throw new Error('lost');
        }, 1);
        handled.clock.advance(1);
      });
      expect(errors.map((error) => (error as Error).message)).to.deep.equal(['from run', 'from onError']);
    });

    it('refuses what it cannot keep, by Node’s codes or its own, and is left as it was', () => {
      const { timer } = rig(contender, { maxPending: 1 });
      expect(codeOf(() => timer.add({} as Task))).to.equal('ERR_INVALID_ARG_TYPE');
      expect(codeOf(() => timer.remove(undefined as unknown as Task))).to.equal('ERR_INVALID_ARG_TYPE');
      expect(codeOf(() => timer.schedule('x' as unknown as () => void, 1))).to.equal('ERR_INVALID_ARG_TYPE');
      expect(codeOf(() => timer.schedule(() => {}, Number.NaN))).to.equal('ERR_OUT_OF_RANGE');
      expect(codeOf(() => timer.add(new Task(Number.POSITIVE_INFINITY)))).to.equal('ERR_OUT_OF_RANGE');
      const elsewhere = new SystemTimer({ reaper: false }).schedule(() => {}, 1);
      expect(codeOf(() => timer.add(elsewhere))).to.equal('ERR_PURGATORY_ALREADY_PENDING');
      expect(timer.size).to.equal(0);
      const kept = timer.schedule(() => {}, 1);
      expect(codeOf(() => timer.schedule(() => {}, 1))).to.equal('ERR_PURGATORY_FULL');
      timer.add(kept);
      expect(timer.size).to.equal(1);
    });

    it('carries the operations of a purgatory, which answers for them', () => {
      const { clock, timer } = rig(contender);
      const purgatory = new Purgatory<string, Op>('p', { timer });
      const log: string[] = [];
      const [early, late, cancelled] = ['early', 'late', 'cancelled'].map(
        (label) => new Op(label, { delayMs: 10, log }),
      );
      for (const op of [early, late, cancelled]) purgatory.tryCompleteElseWatch(op, ['key']);
      expect(timer.size).to.equal(3);
      early.ready = true;
      expect(purgatory.checkAndComplete('key')).to.equal(1);
      expect(timer.remove(cancelled)).to.equal(true);
      expect(purgatory.numDelayed).to.equal(1);
      clock.advance(10);
      expect(log).to.deep.equal(['complete early', 'complete late', 'expire late']);
      const closed = new Op('closed', { delayMs: 10 });
      purgatory.tryCompleteElseWatch(closed, ['key']);
      expect(timer.close()).to.deep.equal([closed]);
      expect(purgatory.numDelayed).to.equal(0);
    });

    it('gives memory back after a burst, and keeps what is left', () => {
      const { clock, timer, add, log } = rig(contender);
      const tasks = Array.from({ length: 5_000 }, (_, index) => add(`${index}`, 1 + (index % 500)));
      for (const task of tasks.slice(10)) task.cancel();
      checkTimerInvariants(timer);
      for (let index = 0; index < 4; index++) add(`new ${index}`, 600);
      clock.advance(1_000);
      expect(log).to.have.length(14);
      expect(log.slice(0, 2)).to.deep.equal(['0@1', '1@2']);
      checkTimerInvariants(timer);
    });
  });
}
