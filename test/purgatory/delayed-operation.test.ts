import { expect } from 'chai';
import { ManualClock } from '../../src/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { hall, Op } from '../support/op.ts';
import { manual } from '../support/task.ts';
import { turn } from '../support/turns.ts';

describe('DelayedOperation', () => {
  it('expires as a plain task of a timer too, without a purgatory', () => {
    const { clock, timer } = manual();
    const op = new Op('a', { delayMs: 5 });
    timer.add(op);
    clock.advance(5);
    expect(op.log).to.deep.equal(['complete a', 'expire a']);
    const late = new Op('b', { delayMs: 5 });
    timer.add(late);
    late.forceComplete();
    clock.advance(5);
    expect(late.log).to.deep.equal(['complete b']);
    expect(timer.size).to.equal(0);
  });
});

describe('DelayedOperation as a plain task, without a purgatory', () => {
  it('gives what its user code throws to the onError of the timer, none of it swallowed', () => {
    const reported: unknown[] = [];
    const { clock, timer } = manual({ onError: (error) => reported.push(error) });
    const fail = (message: string) => (): never => {
      throw new Error(message);
    };
    const one = new Op('one', { delayMs: 5, onCompleted: fail('onComplete') });
    timer.add(one);
    clock.advance(5);
    expect(one.log).to.deep.equal(['complete one', 'expire one']);
    expect(reported).to.have.length(1);
    expect(reported[0]).to.have.property('message', 'onComplete');
    timer.add(
      new Op('both', { delayMs: 5, onCompleted: fail('onComplete'), onExpired: fail('onExpiration') }),
    );
    clock.advance(5);
    const { errors } = reported[1] as AggregateError;
    expect(errors.map(({ message }) => message)).to.deep.equal(['onComplete', 'onExpiration']);
  });
});

describe('the key that tryComplete gets', () => {
  for (const company of ['alone', 'one of two']) {
    it(`is that of the event, and none at parking: ${company} on its keys`, async () => {
      const { purgatory, park } = hall();
      const keys: unknown[] = [];
      if (company !== 'alone') park('other', ['k', 'l']);
      park('a', ['k', 'l'], { onTry: (_, key) => void keys.push(key) });
      expect(keys.splice(0)).to.deep.equal([undefined]);
      purgatory.checkAndComplete('k');
      purgatory.notify('l');
      await turn();
      expect(keys).to.deep.equal(['k', 'l']);
    });
  }

  it('is none at parking inside of an event', () => {
    const { purgatory, park } = hall();
    const keys: unknown[] = [];
    let isArmed = false;
    const onTry = (): void => void (isArmed && park('inner', ['l'], { onTry: (_, key) => keys.push(key) }));
    park('outer', ['k'], { onTry });
    isArmed = true;
    purgatory.checkAndComplete('k');
    expect(keys).to.deep.equal([undefined]);
  });

  it('is that of the threshold which is reached last', () => {
    const purgatory = new ThresholdPurgatory<string, number, Op>('test', { clock: new ManualClock() });
    const keys: unknown[] = [];
    const op = new Op('a', { onTry: (_, key) => void keys.push(key) });
    purgatory.tryCompleteElseWatch(op, [
      ['k', 1],
      ['l', 1],
    ]);
    purgatory.advance('l', 1);
    purgatory.advance('k', 1);
    expect(keys).to.deep.equal(['k']);
  });
});
