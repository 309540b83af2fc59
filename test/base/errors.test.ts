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
  function closedError(): unknown {
    const { timer } = bench();
    timer.close();
    try {
      timer.add(new Task(1));
    } catch (error) {
      return error;
    }
    throw new Error('a closed timer took a task');
  }

  it('is an Error with the name of its class', () => {
    const error = closedError();
    expect(error).to.be.instanceOf(Error).and.instanceOf(PurgatoryError);
    expect(error).to.have.property('name', 'PurgatoryError');
  });

  it('carries a stable code that starts with ERR_PURGATORY_', () => {
    expect(closedError()).to.have.property('code', 'ERR_PURGATORY_CLOSED');
  });

  it('says in its message what was refused', () => {
    expect(closedError()).to.have.property('message').that.equals('The SystemTimer is closed');
  });

  it('has a stack that names it and leads to the caller', () => {
    const { stack } = closedError() as Error;
    expect(stack).to.match(/^PurgatoryError\b/);
    expect(stack).to.contain('errors.test.ts');
  });
});
