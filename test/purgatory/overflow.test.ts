import { expect } from 'chai';
import { DelayedOperation, ManualClock, Purgatory } from '../../src/index.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';

class Answer extends DelayedOperation {
  ready = false;
  readonly #answers: boolean;
  constructor(answers: boolean) {
    super(1_000);
    this.#answers = answers;
  }
  override tryComplete(): boolean {
    return this.ready && this.forceComplete();
  }
  override onComplete(): void {
    if (!this.#answers) this.onComplete(); // without end
  }
}

describe('behaviour 22: an overflow of the stack', () => {
  it('in a callback is a throw like others: the pass goes on, and so do the deadlines', () => {
    const errors: unknown[] = [];
    const clock = new ManualClock();
    const purgatory = new Purgatory('p', { clock, onError: (error) => errors.push(error) });
    const at = (key: string, answers: boolean): Answer => {
      const operation = new Answer(answers);
      purgatory.tryCompleteElseWatch(operation, [key]);
      operation.ready = true;
      return operation;
    };
    const operations = [at('event', false), at('event', true), at('deadline', false), at('deadline', true)];
    expect(purgatory.checkAndComplete('event')).to.equal(2);
    expect(errors).to.have.length(1);
    clock.advance(1_000);
    expect(errors).to.have.length(2);
    for (const error of errors) expect(error).to.be.instanceOf(RangeError);
    expect(operations.every(({ isCompleted }) => isCompleted)).to.equal(true);
    checkPurgatoryInvariants(purgatory);
    expect(purgatory.timer.size).to.equal(0);
    purgatory.close();
  });
});
