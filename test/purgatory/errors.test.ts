import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer } from '../../src/index.ts';
import { counts, hall, isEmpty, Op } from '../support/op.ts';
import { Task } from '../support/task.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

function fail(message = 'boom'): never {
  throw new Error(message);
}

describe('behaviour 18: a throw of user code inside a pass goes to onError', () => {
  it('and an operation whose tryComplete threw stays parked, and is tried again', () => {
    const { purgatory, park, log, errors } = hall();
    let armed = false;
    park('a', ['k']).ready = true;
    const b = park('b', ['k'], { onTry: () => void (armed && fail()) });
    park('c', ['k']).ready = true;
    armed = true;
    expect(purgatory.checkAndComplete('k')).to.equal(2);
    expect(errors.map(({ error, op }) => [(error as Error).message, op])).to.deep.equal([['boom', b]]);
    expect(b.isPending).to.equal(true);
    expect(counts(purgatory)).to.deep.equal({ watched: 1, watchedKeys: 1, numDelayed: 1 });
    armed = false;
    b.ready = true;
    expect(purgatory.checkAndComplete('k')).to.equal(1);
    expect(log).to.deep.equal(['complete a', 'complete c', 'complete b']);
  });

  it('and one whose onComplete threw is completed, gone, and counted', () => {
    const { purgatory, park, errors } = hall();
    const a = park('a', ['k', 'l'], { delayMs: 50, onCompleted: () => fail() });
    const b = park('b', ['k']);
    a.ready = true;
    b.ready = true;
    expect(purgatory.checkAndComplete('k')).to.equal(2);
    expect(errors).to.have.length(1);
    expect(errors[0].op).to.equal(a);
    expect(a.isCompleted).to.equal(true);
    isEmpty(purgatory);
  });

  it('whatever was thrown', () => {
    const { purgatory, park, errors } = hall();
    for (const thrown of [undefined, null, 0, 'text']) {
      park('a', ['k'], {
        onCompleted: () => {
          throw thrown;
        },
      }).ready = true;
    }
    expect(purgatory.checkAndComplete('k')).to.equal(4);
    expect(errors.map(({ error }) => error)).to.deep.equal([undefined, null, 0, 'text']);
  });

  for (const [title, onError, expected] of [
    ['without onError is an uncaught exception', undefined, ['one', 'two']],
    [
      'makes what onError throws an uncaught exception',
      () => fail('of onError'),
      ['of onError', 'of onError'],
    ],
  ] as const) {
    it(`${title} in a later turn, and the pass goes on`, async () => {
      const { purgatory, park, log } = hall({ onError });
      const uncaught = await uncaughtDuring(2, () => {
        park('a', ['k'], { onCompleted: () => fail('one') }).ready = true;
        park('b', ['k'], { onCompleted: () => fail('two') }).ready = true;
        park('c', ['k']).ready = true;
        expect(purgatory.checkAndComplete('k')).to.equal(3);
      });
      expect(uncaught.map((error) => (error as Error).message)).to.deep.equal(expected);
      expect(log).to.deep.equal(['complete a', 'complete b', 'complete c']);
    });
  }
});

describe('behaviour 18: a throw of user code inside an expiry goes to onError', () => {
  it('and onExpiration runs even when onComplete threw', () => {
    const { clock, park, log, errors } = hall();
    const a = park('a', ['k'], { delayMs: 5, onCompleted: () => fail('onComplete') });
    clock.advance(5);
    expect(log).to.deep.equal(['complete a', 'expire a']);
    expect(errors.map(({ error, op }) => [(error as Error).message, op])).to.deep.equal([['onComplete', a]]);
    expect(a.isCompleted).to.equal(true);
  });

  it('and the others of the same tick expire, all of them counted', () => {
    const reported: string[] = [];
    const purgatory = new Purgatory<string, Op>('p', {
      clock: new ManualClock(),
      reaper: false,
      onError: (error, op) => reported.push(`${(error as Error).message} of ${op.label}`),
    });
    for (const label of ['a', 'b', 'c']) {
      purgatory.tryCompleteElseWatch(new Op(label, { delayMs: 0, onExpired: () => fail() }), ['k']);
    }
    expect(purgatory.advanceClock()).to.equal(3);
    expect(reported).to.deep.equal(['boom of a', 'boom of b', 'boom of c']);
    expect(purgatory.numDelayed).to.equal(0);
  });
});

describe('behaviour 18: tryCompleteElseWatch lets a throw through to its caller and has parked nothing', () => {
  it('when the try throws', () => {
    const { purgatory, errors } = hall();
    let armed = true;
    const op = new Op('a', { delayMs: 50, onTry: () => void (armed && fail()) });
    expect(() => purgatory.tryCompleteElseWatch(op, ['k', 'l'])).to.throw('boom');
    expect(op.isPending).to.equal(false);
    expect(op.isCompleted).to.equal(false);
    isEmpty(purgatory);
    expect(errors).to.deep.equal([]);
    armed = false;
    expect(purgatory.tryCompleteElseWatch(op, ['k'])).to.equal(false);
    expect(purgatory.numDelayed).to.equal(1);
  });

  it('when onComplete throws: the operation is completed', () => {
    const { purgatory, errors } = hall();
    const op = new Op('a', { delayMs: 50, ready: true, onCompleted: () => fail() });
    expect(() => purgatory.tryCompleteElseWatch(op, ['k', 'l'])).to.throw('boom');
    expect(op.isCompleted).to.equal(true);
    expect(op.isPending).to.equal(false);
    isEmpty(purgatory);
    expect(errors).to.deep.equal([]);
  });

  it('but not that of the one more try after an event of its own, when the operation is parked', () => {
    const { purgatory, errors } = hall();
    const op = new Op('a', {
      onTry: (self) => {
        if (self.tries === 1) purgatory.notify('k');
        else if (self.tries === 2) fail();
      },
    });
    expect(purgatory.tryCompleteElseWatch(op, ['k'])).to.equal(false);
    expect(errors.map(({ error, op: failed }) => [(error as Error).message, failed])).to.eql([['boom', op]]);
    op.ready = true;
    expect(purgatory.checkAndComplete('k')).to.equal(1);
  });
});

describe('On a shared timer', () => {
  it('each purgatory handles the errors of its own operations, and the timer those of its tasks', () => {
    const clock = new ManualClock();
    const reported: string[] = [];
    const timer = new SystemTimer({
      clock,
      onError: (error) => reported.push(`timer: ${(error as Error).message}`),
    });
    const [first, second] = ['first', 'second'].map(
      (name) =>
        new Purgatory<string, Op>(name, {
          timer,
          onError: (error, op) => reported.push(`${name}: ${(error as Error).message} of ${op.label}`),
        }),
    );
    first.tryCompleteElseWatch(new Op('a', { delayMs: 5, onExpired: () => fail('one') }), ['k']);
    second.tryCompleteElseWatch(new Op('b', { delayMs: 5, onExpired: () => fail('two') }), ['k']);
    timer.add(new Task(5, () => fail('three')));
    clock.advance(5);
    expect(reported).to.deep.equal(['first: one of a', 'second: two of b', 'timer: three']);
  });
});
