import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer } from '../../src/index.ts';
import { hall, isEmpty, Op } from '../support/op.ts';
import { Task } from '../support/task.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

function fail(message = 'boom'): never {
  throw new Error(message);
}

describe('behaviour 18: a throw of user code inside a pass goes to onError', () => {
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

  it('and so does that of the one more try at parking, after an event of its own: it is parked by then', () => {
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

describe('On a shared timer', () => {
  it('each purgatory handles all errors of its own operations, and the timer those of its tasks', () => {
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
    const both = { onCompleted: () => fail('one'), onExpired: () => fail('one more') };
    first.tryCompleteElseWatch(new Op('a', { delayMs: 5, ...both }), ['k']);
    second.tryCompleteElseWatch(new Op('b', { delayMs: 5, onExpired: () => fail('two') }), ['k']);
    timer.add(new Task(5, () => fail('three')));
    clock.advance(5);
    expect(reported).to.deep.equal([
      'first: one of a',
      'first: one more of a',
      'second: two of b',
      'timer: three',
    ]);
  });
});
