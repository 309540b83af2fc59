import { expect } from 'chai';
import type { TimerTask } from '../../src/index.ts';
import { bench, type Task } from '../support/task.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

function thrower(error: unknown): () => void {
  return () => {
    throw error;
  };
}

describe('behaviour 5: a throwing run stops nothing', () => {
  it('gives the error and the task to onError, and runs the others', () => {
    const reported: [unknown, TimerTask][] = [];
    const { clock, add, log, timer } = bench({ onError: (error, task) => reported.push([error, task]) });
    const boom = new Error('boom');
    add('a', 5);
    const b = add('b', 5, thrower(boom));
    add('c', 5);
    add('d', 6);
    clock.advance(10);
    expect(log).to.deep.equal(['a@5', 'b@5', 'c@5', 'd@6']);
    expect(reported).to.deep.equal([[boom, b]]);
    expect(timer.size).to.equal(0);
  });

  it('counts a task that threw among those that ran', () => {
    const { clock, timer, add } = bench({ reaper: false, onError: () => {} });
    add('a', 5, thrower(new Error('boom')));
    add('b', 5);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(2);
  });

  it('reports whatever was thrown, undefined and null too', () => {
    const reported: unknown[] = [];
    const { clock, add } = bench({ onError: (error) => reported.push(error) });
    for (const error of [undefined, null, 0, 'text']) add('x', 1, thrower(error));
    clock.advance(1);
    expect(reported).to.deep.equal([undefined, null, 0, 'text']);
  });

  it('lets onError see a task that is no longer pending, and add it again', () => {
    let pending: boolean | undefined;
    const { clock, timer, add, log } = bench({
      onError: (_, task) => {
        pending = task.isPending;
        timer.add(task);
      },
    });
    let failures = 2;
    add('a', 5, () => {
      if (failures-- > 0) throw new Error('once more');
    });
    clock.advance(50);
    expect(pending).to.equal(false);
    expect(log).to.deep.equal(['a@5', 'a@10', 'a@15']);
  });

  it('lets onError cancel tasks of the bucket under way', () => {
    let b: Task;
    const { clock, add, log } = bench({ onError: () => void b.cancel() });
    add('a', 5, thrower(new Error('boom')));
    b = add('b', 5);
    add('c', 5);
    clock.advance(5);
    expect(log).to.deep.equal(['a@5', 'c@5']);
  });

  it('throws the error in a later turn as an uncaught exception without onError', async () => {
    const boom = new Error('boom');
    const { clock, add, log } = bench();
    const errors = await uncaughtDuring(1, async () => {
      add('a', 5, thrower(boom));
      add('b', 5);
      clock.advance(5);
      expect(log).to.deep.equal(['a@5', 'b@5']);
    });
    expect(errors).to.deep.equal([boom]);
  });

  it('swallows none of several', async () => {
    const { clock, timer, add } = bench({ reaper: false });
    const errors = await uncaughtDuring(3, () => {
      for (const text of ['one', 'two', 'three']) add(text, 5, thrower(text));
      clock.advance(5);
      expect(timer.advanceClock()).to.equal(3);
    });
    expect(errors).to.deep.equal(['one', 'two', 'three']);
  });

  it('makes what onError throws itself an uncaught exception in a later turn, and goes on', async () => {
    const { clock, add, log } = bench({
      onError: (error) => {
        throw new Error('onError failed', { cause: error });
      },
    });
    const errors = await uncaughtDuring(1, () => {
      add('a', 5, thrower('boom'));
      add('b', 5);
      clock.advance(5);
      expect(log).to.deep.equal(['a@5', 'b@5']);
    });
    expect(errors).to.have.length(1);
    expect(errors[0]).to.have.property('message', 'onError failed');
    expect(errors[0]).to.have.property('cause', 'boom');
  });
});
