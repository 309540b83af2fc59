import { inspect } from 'node:util';
import { expect } from 'chai';
import { Purgatory, PurgatoryError } from '../../src/index.ts';
import { counts, EMPTY, hall, isEmpty, labels, Op } from '../support/op.ts';
import { rejection } from '../support/rejection.ts';

/** The code of the error a promise is rejected with, or what it resolved with. */
function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => {
    expect(error).to.be.instanceOf(PurgatoryError);
    return (error as PurgatoryError).code;
  });
}

describe('behaviour 21: close', () => {
  it('returns what is still parked, in park order, and completes nothing', () => {
    const { clock, purgatory, park, log } = hall();
    park('a', ['k', 'l'], { delayMs: 500 });
    park('b', ['m']);
    park('gone', ['k'], { delayMs: 5 }).cancel();
    park('c', ['l', 'k'], { delayMs: 5 });
    const ops = purgatory.close();
    expect(labels(ops)).to.deep.equal(['a', 'b', 'c']);
    expect(ops.some((op) => op.isPending || op.isCompleted)).to.equal(false);
    isEmpty(purgatory);
    clock.advance(1_000);
    expect(log).to.deep.equal([]);
  });

  it('leaves its operations free to be forced, or parked elsewhere', () => {
    const { clock, purgatory, park, log } = hall();
    park('a', ['k'], { delayMs: 5 });
    park('b', ['k']);
    const [a, b] = purgatory.close();
    const next = new Purgatory<unknown, Op>('next', { clock });
    expect(next.tryCompleteElseWatch(a, ['k'])).to.equal(false);
    clock.advance(5);
    expect(b.forceComplete()).to.equal(true);
    expect(log).to.deep.equal(['complete a', 'expire a', 'complete b']);
  });

  it('rejects pending waiters with ERR_PURGATORY_CLOSED and returns none of them', async () => {
    const { purgatory, park } = hall();
    const waiting = [1, 2].map(() => outcome(purgatory.waitFor(['k'], () => undefined, { timeoutMs: 50 })));
    park('a', ['k']);
    expect(labels(purgatory.close())).to.deep.equal(['a']);
    expect(await Promise.all(waiting)).to.deep.equal(['ERR_PURGATORY_CLOSED', 'ERR_PURGATORY_CLOSED']);
  });

  it('refuses all waiters with one error, which tells how many were parked, and names a wait', async () => {
    const { purgatory, park } = hall();
    park('a', ['other']);
    const wait = { timeoutMs: 50, label: 'a checkout' };
    const waiting = [wait, { timeoutMs: 50 }].map((options, i) =>
      purgatory.waitFor([`order-${i}`, 'k'], () => undefined, options).catch((error: unknown) => error),
    );
    purgatory.close();
    const [first, second] = (await Promise.all(waiting)) as Error[];
    expect(second).to.equal(first);
    expect(first.message).to.equal('Purgatory "test" is closed');
    const told = 'Parked when it was closed: 3, such as the wait "a checkout" on "order-0"';
    expect(first.cause).to.equal(told);
    expect(inspect(first)).to.contain(told); // an unhandled rejection prints that
    const plain = hall().purgatory;
    const wanted = plain.waitFor([{ id: 7 }], () => undefined, { timeoutMs: 50 });
    plain.close();
    const { cause } = (await rejection(wanted)) as Error;
    expect(cause).to.equal('Parked when it was closed: 1, such as the wait on "[Object]"');
    const late = await rejection(plain.waitFor(['k'], () => undefined, { timeoutMs: 50 }));
    expect(late).to.not.have.property('cause');
  });

  it('is final: nothing is parked afterwards, and the rest is quiet', () => {
    const { purgatory } = hall();
    purgatory.close();
    expect(() => purgatory.tryCompleteElseWatch(new Op('a'), ['k']))
      .to.throw(PurgatoryError, /test/)
      .with.property('code', 'ERR_PURGATORY_CLOSED');
    expect(purgatory.checkAndComplete('k')).to.equal(0);
    expect(purgatory.cancelForKey('k')).to.deep.equal([]);
    expect(purgatory.advanceClock()).to.equal(0);
    purgatory.notify('k');
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });
});

describe('cancelForKey', () => {
  it('takes out the operations of the key, in park order, unanswered, from all their keys', () => {
    const { clock, timer, purgatory, park, log } = hall();
    park('a', ['k', 'l'], { delayMs: 5 });
    const b = park('b', ['l'], { delayMs: 5 });
    park('c', ['m', 'k'], { delayMs: 1 });
    const ops = purgatory.cancelForKey('k');
    expect(labels(ops)).to.deep.equal(['a', 'c']);
    expect(ops.some((op) => op.isPending || op.isCompleted)).to.equal(false);
    expect(counts(purgatory)).to.deep.equal({ watched: 1, watchedKeys: 1, numDelayed: 1 });
    expect(timer.size).to.equal(1);
    clock.advance(5);
    expect(log).to.deep.equal(['complete b', 'expire b']);
    expect(b.isCompleted).to.equal(true);
  });
});
