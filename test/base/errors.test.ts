import { expect } from 'chai';
import { LocalHub } from '../../src/bus/index.ts';
import { Purgatory, PurgatoryError } from '../../src/index.ts';
import { bench, Task } from '../support/task.ts';

describe('The error for a bad argument', () => {
  it('cuts a long text that it quotes', async () => {
    const bus = new LocalHub().bus();
    const purgatory = new Purgatory('p', { bus });
    const notify = (): void => purgatory.notify('x'.repeat(2_000));
    expect(notify).to.throw('x…').with.property('message').that.has.length.below(400);
    purgatory.close();
    await bus.close(); // its wake-up would be seen by the tests of fake clocks
  });
});

describe('PurgatoryError', () => {
  it('is an Error with the name of its class, a code, what was refused, and a stack that leads to the caller', () => {
    const { timer } = bench();
    timer.close();
    const caught = (): PurgatoryError => {
      try {
        timer.add(new Task(1));
      } catch (error) {
        return error as PurgatoryError;
      }
      throw new Error('a closed timer took a task');
    };
    const error = caught();
    expect(error).to.be.instanceOf(Error).and.instanceOf(PurgatoryError);
    const { name, code, message } = error;
    const expected = ['PurgatoryError', 'ERR_PURGATORY_CLOSED', 'The SystemTimer is closed'];
    expect([name, code, message]).to.deep.equal(expected);
    expect(error.stack)
      .to.match(/^PurgatoryError\b/)
      .and.to.contain('errors.test.ts');
  });
});
