import { expect } from 'chai';
import { ManualClock, Purgatory, PurgatoryError, SystemTimer } from '../../src/index.ts';
import { ListTimer } from '../support/list-timer.ts';
import { counts, EMPTY, Op } from '../support/op.ts';
import { Task } from '../support/task.ts';

function outside(): {
  clock: ManualClock;
  timer: ListTimer;
  purgatory: Purgatory<unknown, Op>;
  log: string[];
} {
  const clock = new ManualClock();
  const timer = new ListTimer(clock);
  return { clock, timer, purgatory: new Purgatory('p', { timer }), log: [] };
}

describe('A Timer from outside that follows the protocol', () => {
  it('is found by the tasks that it holds', () => {
    const { clock, timer } = outside();
    const [a, b] = [new Task(5), new Task(5)];
    timer.add(a);
    timer.add(b);
    expect(a.isPending).to.equal(true);
    expect(a.cancel()).to.equal(true);
    expect(timer.size).to.equal(1);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(1);
    expect([a.runs, b.runs, b.isPending]).to.deep.equal([0, 1, false]);
  });

  it('and a timer of the library refuse the tasks of each other', () => {
    const { clock, timer } = outside();
    const ours = new SystemTimer({ clock });
    const task = new Task(5);
    timer.add(task);
    expect(() => ours.add(task))
      .to.throw(PurgatoryError)
      .with.property('code', 'ERR_PURGATORY_ALREADY_PENDING');
    task.cancel();
    ours.add(task);
    expect(() => timer.add(task))
      .to.throw(PurgatoryError)
      .with.property('code', 'ERR_PURGATORY_ALREADY_PENDING');
  });

  it('expires the operations of a purgatory, and loses those that leave it early', () => {
    const { clock, timer, purgatory, log } = outside();
    const ops = ['expired', 'forced', 'checked', 'cancelled', 'removed'].map(
      (label) => new Op(label, { delayMs: 5, log }),
    );
    for (const op of ops) purgatory.tryCompleteElseWatch(op, ['k', op.label]);
    expect(timer.size).to.equal(5);
    ops[1].forceComplete();
    ops[2].ready = true;
    purgatory.checkAndComplete('checked');
    ops[3].cancel();
    expect(timer.remove(ops[4])).to.equal(true);
    expect(timer.size).to.equal(1);
    clock.advance(5);
    expect(purgatory.advanceClock()).to.equal(1);
    expect(log).to.deep.equal(['complete forced', 'complete checked', 'complete expired', 'expire expired']);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect(timer.size).to.equal(0);
  });

  it('refuses a parked operation, and parks nothing that it refuses itself', () => {
    const { clock, timer, purgatory } = outside();
    const op = new Op('a', { delayMs: 5 });
    purgatory.tryCompleteElseWatch(op, ['k']);
    expect(() => timer.add(op))
      .to.throw(PurgatoryError)
      .with.property('code', 'ERR_PURGATORY_ALREADY_PENDING');
    timer.add = () => {
      throw new Error('no room');
    };
    const refused = new Op('b', { delayMs: 5 });
    expect(() => purgatory.tryCompleteElseWatch(refused, ['k'])).to.throw('no room');
    expect(refused.isPending).to.equal(false);
    expect(counts(purgatory)).to.deep.equal({ watched: 1, watchedKeys: 1, numDelayed: 1 });
    clock.advance(5);
    expect(purgatory.advanceClock()).to.equal(1);
  });

  it('takes the operations out of their purgatory when it closes', async () => {
    const { timer, purgatory } = outside();
    const op = new Op('a', { delayMs: 5 });
    const task = new Task(3);
    purgatory.tryCompleteElseWatch(op, ['k']);
    timer.add(task);
    const waiting = purgatory
      .waitFor(['k'], () => undefined, { timeoutMs: 4 })
      .catch((error: unknown) => error);
    expect(timer.close()).to.deep.equal([task, op]);
    expect(await waiting)
      .to.be.instanceOf(PurgatoryError)
      .with.property('code', 'ERR_PURGATORY_CLOSED');
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect([op.isPending, task.isPending]).to.deep.equal([false, false]);
  });

  it('loses an operation that leaves early, whatever its delayMs has become', () => {
    const { clock, timer, purgatory, log } = outside();
    const op: { delayMs: number } & Op = new Op('a', { delayMs: 5, log });
    purgatory.tryCompleteElseWatch(op, ['k']);
    op.delayMs = Number.POSITIVE_INFINITY;
    op.cancel();
    expect(timer.size).to.equal(0);
    clock.advance(5);
    expect(purgatory.advanceClock()).to.equal(0);
    expect(log).to.deep.equal([]);
  });

  it('gives its operations back to a purgatory that closes', () => {
    const { timer, purgatory } = outside();
    const op = new Op('a', { delayMs: 5 });
    purgatory.tryCompleteElseWatch(op, ['k']);
    expect(purgatory.close()).to.deep.equal([op]);
    expect(timer.size).to.equal(0);
    timer.add(op);
    expect(op.isPending).to.equal(true);
  });
});

describe('A Timer from outside that leaves $slot behind', () => {
  it('does no harm to a timer of the library that gets the task next', () => {
    const clock = new ManualClock();
    const timer = new SystemTimer({ clock });
    const [a, b] = [new Task(5), new Task(5)];
    timer.add(a);
    b.$slot = 0;
    timer.add(b);
    clock.advance(5);
    expect([a.runs, b.runs, timer.size]).to.deep.equal([1, 1, 0]);
  });
});
