import { expect } from 'chai';
import { PurgatoryError, type TimerTask } from '../../src/index.ts';
import { bench, Task } from '../support/task.ts';

function delays(tasks: readonly TimerTask[]): number[] {
  return tasks.map((task) => task.delayMs);
}

describe('behaviour 11: close is final and idempotent', () => {
  it('returns the tasks that never ran, by deadline', () => {
    const { clock, timer } = bench({ wheelSize: 4 });
    for (const delayMs of [70_000, 20, 3, 500, 21, 2 ** 33, 7]) timer.add(new Task(delayMs));
    clock.advance(5);
    expect(delays(timer.close())).to.deep.equal([7, 20, 21, 500, 70_000, 2 ** 33]);
  });

  it('returns those of one tick in the order of add', () => {
    const { timer } = bench();
    const tasks = [new Task(9), new Task(5), new Task(9), new Task(5)];
    for (const task of tasks) timer.add(task);
    expect(timer.close()).to.deep.equal([tasks[1], tasks[3], tasks[0], tasks[2]]);
  });

  it('returns a moved task once, by its last deadline', () => {
    const { clock, timer } = bench();
    const moved = new Task(10);
    const other = new Task(15);
    timer.add(moved);
    timer.add(other);
    clock.advance(9);
    timer.add(moved);
    expect(timer.close()).to.deep.equal([other, moved]);
  });

  it('leaves its tasks not pending, and free for another timer', () => {
    const { clock, timer } = bench();
    const task = new Task(5);
    timer.add(task);
    timer.close();
    expect(task.isPending).to.equal(false);
    expect(task.cancel()).to.equal(false);
    expect(timer.size).to.equal(0);
    expect(timer.nextExpirationMs).to.equal(undefined);
    clock.advance(100);
    expect(timer.advanceClock()).to.equal(0);
    expect(task.runs).to.equal(0);
    const next = bench();
    next.timer.add(task);
    next.clock.advance(5);
    expect(task.runs).to.equal(1);
  });

  it('returns [] the second time', () => {
    const { timer } = bench();
    timer.add(new Task(5));
    expect(timer.close()).to.have.length(1);
    expect(timer.close()).to.deep.equal([]);
    expect(bench().timer.close()).to.deep.equal([]);
  });

  it('makes later adds throw ERR_PURGATORY_CLOSED', () => {
    const { timer } = bench();
    timer.close();
    const task = new Task(1);
    expect(() => timer.add(task))
      .to.throw(PurgatoryError)
      .with.property('code', 'ERR_PURGATORY_CLOSED');
    expect(() => timer.schedule(() => {}, 1))
      .to.throw(PurgatoryError)
      .with.property('code', 'ERR_PURGATORY_CLOSED');
    expect(task.isPending).to.equal(false);
  });

  it('may be called from inside run: what has not run yet is returned and does not run', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    let rest: TimerTask[] = [];
    add('a', 5, () => {
      rest = timer.close();
    });
    const b = add('b', 5);
    const c = add('c', 300);
    clock.advance(1_000);
    expect(timer.advanceClock()).to.equal(1);
    expect(log).to.deep.equal(['a@1000']);
    expect(rest).to.deep.equal([b, c]);
    expect(timer.size).to.equal(0);
  });

  it('may be called from inside run with the reaper on', () => {
    const { clock, timer, add, log } = bench();
    add('a', 5, () => timer.close());
    add('b', 5);
    clock.advance(1_000);
    expect(log).to.deep.equal(['a@5']);
  });

  it('is what Symbol.dispose does', () => {
    const { timer } = bench();
    const task = new Task(5);
    {
      using scope = timer;
      scope.add(task);
    }
    expect(task.isPending).to.equal(false);
    expect(() => timer.add(task))
      .to.throw(PurgatoryError)
      .with.property('code', 'ERR_PURGATORY_CLOSED');
  });
});

describe('behaviour 11: maxPending', () => {
  it('reached throws ERR_PURGATORY_FULL and changes nothing', () => {
    const { timer } = bench({ maxPending: 2 });
    timer.add(new Task(5));
    timer.add(new Task(6));
    const third = new Task(7);
    expect(() => timer.add(third))
      .to.throw(PurgatoryError, /2/)
      .with.property('code', 'ERR_PURGATORY_FULL');
    expect(() => timer.schedule(() => {}, 1))
      .to.throw(PurgatoryError)
      .with.property('code', 'ERR_PURGATORY_FULL');
    expect(third.isPending).to.equal(false);
    expect(timer.size).to.equal(2);
  });

  it('has a free place again after a run, and after a cancel', () => {
    const { clock, timer } = bench({ maxPending: 1 });
    timer.add(new Task(5));
    clock.advance(5);
    const task = new Task(5);
    timer.add(task);
    task.cancel();
    timer.add(new Task(5));
    expect(timer.size).to.equal(1);
  });

  it('is not asked by a task that is moved', () => {
    const { clock, timer } = bench({ maxPending: 1 });
    const task = new Task(5);
    timer.add(task);
    clock.advance(3);
    timer.add(task);
    clock.advance(4);
    expect(task.runs).to.equal(0);
    clock.advance(1);
    expect(task.runs).to.equal(1);
  });

  it('has a free place for a task that adds itself again, as it is not pending while it runs', () => {
    const { clock, timer, add, log } = bench({ maxPending: 1 });
    add('a', 5, (task) => timer.add(task));
    clock.advance(10);
    expect(log).to.deep.equal(['a@5', 'a@10']);
  });

  it('counts the tasks of a pass that have yet to run', () => {
    const { clock, add, log } = bench({
      maxPending: 2,
      onError: (error) => log.push((error as { code: string }).code),
    });
    add('a', 5, () => {
      add('new', 5);
      add('too many', 5);
    });
    add('b', 5);
    clock.advance(10);
    expect(log).to.deep.equal(['a@5', 'ERR_PURGATORY_FULL', 'b@5', 'new@10']);
  });
});
