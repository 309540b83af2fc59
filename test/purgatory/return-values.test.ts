import { expect } from 'chai';
import { DelayedOperation, Purgatory, PurgatoryError } from '../../src/index.ts';
import { checkPurgatoryInvariants } from '../../src/purgatory/purgatory.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { codeOf } from '../support/code-of.ts';
import { counts, EMPTY, hall, Op } from '../support/op.ts';
import { rejection } from '../support/rejection.ts';
import { unhandledDuring } from '../support/unhandled.ts';

/** An operation whose tries return what they are told to. */
class Returning extends Op {
  result: unknown = false;

  override tryComplete(): boolean {
    this.tries++;
    return (typeof this.result === 'function' ? this.result() : this.result) as boolean;
  }
}

const bad: Record<string, unknown> = {
  'a promise of true': () => Promise.resolve(true),
  'a promise of false': () => Promise.resolve(false),
  'a promise that is rejected': () => Promise.reject(new Error('later')),
  // biome-ignore lint/suspicious/noThenProperty: a thenable is the point.
  'a thenable': () => ({ then: () => {} }),
  undefined: undefined,
  null: null,
  1: 1,
  'a text': 'yes',
};

describe('tryComplete must return a boolean', () => {
  for (const [which, result] of Object.entries(bad)) {
    it(`${which} in the first try throws ERR_INVALID_RETURN_VALUE, and nothing is parked`, async () => {
      const { timer, purgatory } = hall();
      const op = new Returning('a', { delayMs: 10 });
      op.result = result;
      const unhandled = await unhandledDuring(() => {
        expect(() => purgatory.tryCompleteElseWatch(op, ['k']))
          .to.throw(TypeError, 'a boolean')
          .with.property('code', 'ERR_INVALID_RETURN_VALUE');
      });
      expect(unhandled).to.deep.equal([]);
      expect([op.tries, op.isPending, op.isCompleted]).to.deep.equal([1, false, false]);
      expect(counts(purgatory)).to.deep.equal(EMPTY);
      expect(timer.size).to.equal(0);
    });

    it(`${which} in a pass goes to onError, and the operation stays parked`, async () => {
      const { purgatory, park, errors } = hall();
      const op = new Returning('a');
      purgatory.tryCompleteElseWatch(op, ['k']);
      const after = park('b', ['k']);
      after.ready = true;
      op.result = result;
      const unhandled = await unhandledDuring(() => expect(purgatory.checkAndComplete('k')).to.equal(1));
      expect(unhandled).to.deep.equal([]);
      expect(
        errors.map(({ error, op: failed }) => [
          codeOf(() => {
            throw error;
          }),
          failed,
        ]),
      ).to.deep.equal([['ERR_INVALID_RETURN_VALUE', op]]);
      expect(after.isCompleted).to.equal(true);
      expect([op.isPending, op.isCompleted]).to.deep.equal([true, false]);
      op.result = () => op.forceComplete();
      expect(purgatory.checkAndComplete('k')).to.equal(1);
    });
  }

  it('and what the second try returns instead takes the operation out again', () => {
    const { purgatory, timer } = hall();
    const op = new Returning('a', { delayMs: 10 });
    op.result = () => (op.tries === 1 ? false : Promise.resolve(true));
    expect(() => purgatory.tryCompleteElseWatch(op, ['k'])).to.throw(TypeError);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect(timer.size).to.equal(0);
  });

  it('in a threshold purgatory too', () => {
    const errors: unknown[] = [];
    const offsets = new ThresholdPurgatory<string, number, Returning>('offsets', {
      onError: (error) => errors.push(error),
    });
    offsets.advance('k', 5);
    const op = new Returning('a');
    op.result = Promise.resolve(true);
    expect(() => offsets.tryCompleteElseWatch(op, [['k', 5]])).to.throw(TypeError);
    offsets.tryCompleteElseWatch(op, [['k', 6]]);
    expect(offsets.advance('k', 6)).to.equal(0);
    expect(errors).to.have.length(1);
    expect(op.isPending).to.equal(true);
    expect(offsets.close()).to.deep.equal([op]);
  });
});

describe('true from an operation that is not completed', () => {
  it('throws ERR_PURGATORY_NOT_COMPLETED out of tryCompleteElseWatch, and nothing is parked', () => {
    const { purgatory } = hall();
    const op = new Returning('a');
    op.result = true;
    expect(() => purgatory.tryCompleteElseWatch(op, ['k']))
      .to.throw(PurgatoryError, 'forceComplete')
      .with.property('code', 'ERR_PURGATORY_NOT_COMPLETED');
    op.result = () => op.tries > 1;
    op.tries = 0;
    expect(() => purgatory.tryCompleteElseWatch(op, ['k'])).to.throw(PurgatoryError);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('goes to onError in a pass, is not counted, and the operation stays parked', () => {
    const { purgatory, errors } = hall();
    const op = new Returning('a');
    purgatory.tryCompleteElseWatch(op, ['k']);
    op.result = true;
    expect(purgatory.checkAndComplete('k')).to.equal(0);
    expect((errors[0].error as PurgatoryError).code).to.equal('ERR_PURGATORY_NOT_COMPLETED');
    expect(op.isPending).to.equal(true);
  });
});

describe('checkAndComplete counts', () => {
  it('an operation that completed inside its own try, though the try returned false', () => {
    for (const keys of [['k'], ['k', 'l']]) {
      const { purgatory, park } = hall();
      const op = new Returning('a');
      purgatory.tryCompleteElseWatch(op, keys);
      park('b', ['l']);
      op.result = () => {
        op.forceComplete();
        return false;
      };
      expect(purgatory.checkAndComplete('k')).to.equal(1);
    }
  });

  it('none that others completed in its try, nor one that was cancelled', () => {
    const { purgatory, park } = hall();
    const other = park('other', ['l']);
    const forcing = new Returning('forcing');
    const leaving = new Returning('leaving');
    for (const op of [forcing, leaving]) purgatory.tryCompleteElseWatch(op, ['k']);
    forcing.result = () => other.forceComplete() && false;
    leaving.result = () => leaving.cancel() && false;
    expect(purgatory.checkAndComplete('k')).to.equal(0);
    expect(other.isCompleted).to.equal(true);
  });
});

describe('A subclass in JavaScript', () => {
  // @ts-expect-error: what TypeScript would refuse.
  class Empty extends DelayedOperation {}

  it('without tryComplete gets an error that says so, and nothing is parked', () => {
    const { purgatory } = hall();
    expect(() => purgatory.tryCompleteElseWatch(new Empty(10) as Op, ['k']))
      .to.throw('The class Empty does not implement tryComplete()')
      .with.property('code', 'ERR_METHOD_NOT_IMPLEMENTED');
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('without onComplete gets an error that says so', () => {
    expect(() => new Empty(10).forceComplete()).to.throw('The class Empty does not implement onComplete()');
  });
});

describe('An event on its own key inside a try', () => {
  function endless(
    count: number,
    keys: readonly string[] = ['k'],
  ): { purgatory: Purgatory<string, Op>; ops: Op[]; errors: unknown[] } {
    const errors: unknown[] = [];
    const purgatory = new Purgatory<string, Op>('test', { onError: (error) => errors.push(error) });
    let isArmed = false;
    const onTry = (): void => {
      if (isArmed) for (const key of keys) purgatory.checkAndComplete(key);
    };
    const ops = Array.from({ length: count }, (_, i) => new Op(`${i}`, { onTry }));
    for (const [i, op] of ops.entries()) purgatory.tryCompleteElseWatch(op, [keys[i % keys.length]]);
    isArmed = true;
    for (const op of ops) op.tries = 0;
    return { purgatory, ops, errors };
  }

  for (const [which, count, keys] of [
    ['by a lone watcher', 1, ['k']],
    ['by many watchers', 50, ['k']],
    ['by lone watchers of two keys, in turns', 2, ['k', 'l']],
    ['by watchers of two keys, in turns', 21, ['k', 'l']],
  ] as const) {
    it(`without end, ${which}, is an error in words, and every watcher is tried`, () => {
      const { purgatory, ops, errors } = endless(count, keys);
      for (const key of keys) purgatory.checkAndComplete(key);
      expect(ops.every(({ tries }) => tries > 0)).to.equal(true);
      expect(ops.reduce((sum, { tries }) => sum + tries, 0)).to.be.lessThan(count * 2_000);
      expect(errors.length).to.be.within(1, count * 10);
      for (const error of errors) {
        expect(error).to.have.property('code', 'ERR_PURGATORY_ENDLESS_TRIES');
        expect(error)
          .to.have.property('message')
          .that.matches(/^tryComplete of a Op on "[kl]" calls checkAndComplete, which calls that condition/);
      }
      checkPurgatoryInvariants(purgatory);
      for (const op of ops) expect(op.cancel()).to.equal(true);
      checkPurgatoryInvariants(purgatory);
      purgatory.close();
    });
  }

  it('without end, by the condition of a wait, is an error that names the key of the wait', async () => {
    const purgatory = new Purgatory('test');
    let isArmed = false;
    const wait = purgatory.waitFor(['job-7'], () => isArmed && void purgatory.checkAndComplete('job-7'), {
      timeoutMs: 1_000,
    });
    isArmed = true;
    purgatory.checkAndComplete('job-7');
    expect(await rejection(wait)).to.include({
      code: 'ERR_PURGATORY_ENDLESS_TRIES',
      message:
        'The condition of a wait on "job-7" calls checkAndComplete, which calls that condition again, without end: a condition must not cause events on its own keys',
    });
    checkPurgatoryInvariants(purgatory);
    purgatory.close();
  });

  it('that comes to an end by itself is served', () => {
    const { purgatory, park } = hall();
    let left = 100;
    park('a', ['k'], { onTry: () => void (left-- > 0 && purgatory.checkAndComplete('k')) });
    const b = park('b', ['k']);
    left = 100;
    expect(purgatory.checkAndComplete('k')).to.equal(0);
    expect(b.tries).to.equal(101);
  });
});
