import { expect } from 'chai';
import { SystemTimer } from '../../src/index.ts';
import { bench, Task } from '../support/task.ts';
import { until } from '../support/turns.ts';

function names(log: readonly string[]): string {
  return log.map((line) => line.split('@')[0]).join(' ');
}

describe('behaviour 2: order is by tick of the deadline, then by add', () => {
  it('runs tasks by deadline, whatever the order of add', () => {
    const { clock, add, log } = bench();
    for (const delayMs of [300, 5, 1, 40, 17, 2]) add(`${delayMs}`, delayMs);
    clock.advance(300);
    expect(log).to.deep.equal(['1@1', '2@2', '5@5', '17@17', '40@40', '300@300']);
  });

  it('runs tasks of one tick in the order of add', () => {
    const { clock, add, log } = bench();
    for (const label of ['a', 'b', 'c', 'd']) add(label, 7);
    clock.advance(7);
    expect(names(log)).to.equal('a b c d');
  });

  it('runs tasks of one tick in the order of add even when their deadlines differ', () => {
    const { clock, add, log } = bench({ tickMs: 10 });
    add('18', 18);
    add('12', 12);
    add('20', 20);
    add('11', 11);
    clock.advance(20);
    expect(log).to.deep.equal(['18@20', '12@20', '20@20', '11@20']);
  });

  for (const wheelSize of [2, 3, 4, 64]) {
    it(`keeps that order for a task that cascades and a younger one that does not, wheelSize ${wheelSize}`, () => {
      const { runTo, add, log } = bench({ wheelSize });
      const dueMs = 1_000;
      let at = 0;
      const expected: string[] = [];
      for (const addMs of [0, 1, 500, 900, 960, 990, 996, 998, 999]) {
        runTo(addMs);
        add(`t${at}`, dueMs - addMs);
        expected.push(`t${at++}@${dueMs}`);
      }
      runTo(dueMs);
      expect(log).to.deep.equal(expected);
    });

    it(`keeps that order in every tick around a turn of the wheel, wheelSize ${wheelSize}`, () => {
      const { runTo, add, log } = bench({ wheelSize });
      const expected: string[] = [];
      for (const addMs of [0, 3, 37, 55]) {
        runTo(addMs);
        for (let dueMs = 60; dueMs < 70; dueMs++) add(`from${addMs}`, dueMs - addMs);
      }
      for (let dueMs = 60; dueMs < 70; dueMs++) {
        for (const addMs of [0, 3, 37, 55]) expected.push(`from${addMs}@${dueMs}`);
      }
      runTo(100);
      expect(log).to.deep.equal(expected);
    });
  }

  it('keeps that order when the clock jumps over all of them', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    add('c', 1_000);
    clock.advance(10);
    timer.advanceClock();
    add('a', 17);
    add('d', 990);
    add('b', 17);
    clock.advance(5_000);
    timer.advanceClock();
    expect(names(log)).to.equal('a b c d');
  });

  it('keeps that order on the real clock', async () => {
    const timer = new SystemTimer();
    const log: number[] = [];
    for (let i = 0; i < 100; i++) timer.schedule(() => log.push(i), 3);
    await until(() => timer.size === 0);
    expect(log).to.deep.equal(Array.from({ length: 100 }, (_, i) => i));
    timer.close();
  });

  it('puts a task without delay behind the older tasks of the tick that its now lies in', () => {
    const { clock, timer, add, log } = bench({ tickMs: 10, reaper: false });
    add('due at 20', 20);
    add('due at 30', 30);
    clock.advance(25);
    add('at once', 0);
    add('at once too', -3);
    add('due at 30 too', 1);
    clock.advance(5);
    timer.advanceClock();
    expect(log).to.deep.equal([
      'due at 20@30',
      'at once@30',
      'at once too@30',
      'due at 30@30',
      'due at 30 too@30',
    ]);
  });
});

describe('behaviour 4: adding a pending task again moves it', () => {
  it('to now + delayMs, with the size unchanged', () => {
    const { runTo, timer, add, log } = bench();
    const task = add('a', 50);
    runTo(30);
    timer.add(task);
    expect(timer.size).to.equal(1);
    runTo(79);
    expect(log).to.deep.equal([]);
    runTo(80);
    expect(log).to.deep.equal(['a@80']);
    expect(timer.size).to.equal(0);
  });

  it('however often, and however far', () => {
    const { runTo, timer, add, log } = bench({ wheelSize: 8 });
    const task = add('a', 1_000);
    for (let ms = 0; ms <= 9_990; ms += 10) {
      runTo(ms);
      timer.add(task);
      expect(timer.size).to.equal(1);
    }
    runTo(10_989);
    expect(log).to.deep.equal([]);
    runTo(10_990);
    expect(log).to.deep.equal(['a@10990']);
  });

  it('to the end of its tick when that is the same', () => {
    const { clock, timer, add, log } = bench();
    const first = add('first', 10);
    add('second', 10);
    add('third', 10);
    timer.add(first);
    clock.advance(10);
    expect(names(log)).to.equal('second third first');
  });

  it('so that the others of its old bucket keep their order', () => {
    const { clock, timer, add, log } = bench();
    add('a', 10);
    const b = add('b', 10);
    add('c', 10);
    b.cancel();
    add('d', 10);
    timer.add(b);
    clock.advance(10);
    expect(names(log)).to.equal('a c d b');
  });

  it('and throws when it is pending in another timer, which keeps it', () => {
    const { clock, timer } = bench();
    const other = bench();
    const task = new Task(10);
    timer.add(task);
    expect(() => other.timer.add(task))
      .to.throw(Error)
      .with.property('code', 'ERR_PURGATORY_ALREADY_PENDING');
    expect(other.timer.size).to.equal(0);
    expect(timer.size).to.equal(1);
    clock.advance(10);
    expect(task.runs).to.equal(1);
    other.timer.add(task);
    expect(other.timer.size).to.equal(1);
  });
});
