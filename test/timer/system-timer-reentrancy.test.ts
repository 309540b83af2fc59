import { expect } from 'chai';
import { bench, Task } from '../support/task.ts';

describe('behaviour 6: tasks may add, cancel and re-add tasks from inside run', () => {
  it('does not run a task that an earlier one of the same bucket cancelled', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    add('a', 5, () => c.cancel());
    add('b', 5);
    const c = add('c', 5);
    add('d', 5);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(3);
    expect(log).to.deep.equal(['a@5', 'b@5', 'd@5']);
    expect(timer.size).to.equal(0);
  });

  it('lets a task cancel its neighbour, the last of its bucket, and all the rest', () => {
    for (const victims of [[1], [4], [1, 2, 3, 4], [2, 4]]) {
      const { clock, timer, add, log } = bench();
      const tasks: Task[] = [];
      for (let i = 0; i < 5; i++) {
        tasks.push(
          add(
            `${i}`,
            5,
            i === 0 ? () => victims.forEach((victim) => void tasks[victim].cancel()) : undefined,
          ),
        );
      }
      clock.advance(5);
      const survivors = [0, 1, 2, 3, 4].filter((i) => !victims.includes(i));
      expect(log).to.deep.equal(survivors.map((i) => `${i}@5`));
      expect(timer.size).to.equal(0);
    }
  });

  it('does not run a task of a later bucket that an earlier one cancelled in the same advance', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    add('a', 5, () => b.cancel());
    const b = add('b', 900);
    clock.advance(10_000);
    expect(timer.advanceClock()).to.equal(1);
    expect(log).to.deep.equal(['a@10000']);
  });

  it('runs a task that adds itself again once every delayMs', () => {
    const { clock, timer, add, log } = bench();
    add('a', 10, (task) => timer.add(task));
    clock.advance(45);
    expect(log).to.deep.equal(['a@10', 'a@20', 'a@30', 'a@40']);
    expect(timer.size).to.equal(1);
  });

  it('runs a task without delay that adds itself again once per advanceClock', () => {
    const { timer, add, log } = bench({ reaper: false });
    add('a', 0, (task) => timer.add(task));
    expect(timer.advanceClock()).to.equal(1);
    expect(timer.advanceClock()).to.equal(1);
    expect(log).to.have.length(2);
  });

  it('runs a task without delay that adds itself again once per advance(0), and once a millisecond on the way', () => {
    const { clock, timer, add, log } = bench();
    add('a', 0, (task) => timer.add(task));
    clock.advance(0);
    clock.advance(0);
    expect(log).to.deep.equal(['a@0', 'a@0']);
    clock.advance(3);
    expect(log.slice(2)).to.deep.equal(['a@0', 'a@1', 'a@2', 'a@3']);
  });

  it('runs a task without delay added inside a pass in the next pass, never the same', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    add('a', 1, () => add('new', 0));
    add('b', 1);
    add('c', 5);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(3);
    expect(log).to.deep.equal(['a@5', 'b@5', 'c@5']);
    expect(timer.size).to.equal(1);
    expect(timer.advanceClock()).to.equal(1);
    expect(log.at(-1)).to.equal('new@5');
  });

  it('runs a task added from inside run on its own edge in the same advance', () => {
    const { clock, add, log } = bench();
    add('a', 10, () => add('b', 1, () => add('c', 100)));
    clock.advance(200);
    expect(log).to.deep.equal(['a@10', 'b@11', 'c@111']);
  });

  it('moves a task of its own bucket that has yet to run', () => {
    const { clock, timer, add, log } = bench();
    add('a', 5, () => timer.add(c));
    add('b', 5);
    const c = add('c', 5);
    add('d', 5);
    clock.advance(5);
    expect(log).to.deep.equal(['a@5', 'b@5', 'd@5']);
    clock.advance(5);
    expect(log.at(-1)).to.equal('c@10');
    expect(timer.size).to.equal(0);
  });

  it('moves a task without delay of its own bucket to the next pass', () => {
    const { timer, add, log } = bench({ reaper: false });
    add('a', 0, () => timer.add(b));
    const b = add('b', 0);
    add('c', 0);
    expect(timer.advanceClock()).to.equal(2);
    expect(log).to.deep.equal(['a@0', 'c@0']);
    expect(timer.advanceClock()).to.equal(1);
    expect(log.at(-1)).to.equal('b@0');
  });

  it('may add again a task of its own bucket that ran already', () => {
    const { clock, timer, add, log } = bench();
    const a = add('a', 5);
    add('b', 5, () => timer.add(a));
    clock.advance(20);
    expect(log).to.deep.equal(['a@5', 'b@5', 'a@10']);
  });

  it('never runs a new task in the place of one that was cancelled', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    add('a', 5, () => {
      b.cancel();
      c.cancel();
      add('later', 50);
      add('next pass', 0);
    });
    const b = add('b', 5);
    const c = add('c', 5);
    add('d', 5);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(2);
    expect(log).to.deep.equal(['a@5', 'd@5']);
    expect(timer.size).to.equal(2);
    clock.advance(50);
    timer.advanceClock();
    expect(log).to.deep.equal(['a@5', 'd@5', 'next pass@55', 'later@55']);
  });

  it('survives a thousand adds from inside one run', () => {
    const { clock, timer, log } = bench({ wheelSize: 4 });
    timer.add(
      new Task(3, () => {
        for (let i = 1000; i > 0; i--) timer.schedule(() => log.push(`${i}`), i);
      }),
    );
    timer.add(new Task(3, () => log.push('same bucket')));
    clock.advance(2_000);
    expect(log[0]).to.equal('same bucket');
    expect(log.slice(1)).to.deep.equal(Array.from({ length: 1000 }, (_, i) => `${i + 1}`));
  });

  it('does nothing and returns 0 for an advanceClock from inside a callback', () => {
    const { clock, timer, add, log } = bench();
    const counts: number[] = [];
    add('a', 5, () => counts.push(timer.advanceClock()));
    add('b', 5);
    clock.advance(5);
    expect(counts).to.deep.equal([0]);
    expect(log).to.deep.equal(['a@5', 'b@5']);
    expect(timer.advanceClock()).to.equal(0);
  });

  it('works after a callback of it threw: the next advanceClock is not taken for an inner one', () => {
    const { clock, timer, add } = bench({ reaper: false, onError: () => {} });
    add('a', 5, () => {
      throw new Error('a');
    });
    add('b', 9);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(1);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(1);
  });

  it('runs each task once, and none early, when a callback advances the clock itself', () => {
    const { clock, timer } = bench();
    const runs: string[] = [];
    const add = (label: string, delayMs: number, work = (): void => {}): void => {
      const dueMs = clock.now() + delayMs;
      timer.schedule(() => {
        expect(clock.now()).to.be.at.least(dueMs);
        runs.push(label);
        work();
      }, delayMs);
    };
    add('a', 5, () => clock.advance(20));
    add('b', 5);
    add('c', 10);
    add('d', 40);
    clock.advance(50);
    clock.advance(1);
    expect(runs).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(timer.size).to.equal(0);
  });
});
