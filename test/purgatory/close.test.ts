import { inspect } from 'node:util';
import { expect } from 'chai';
import { Purgatory, PurgatoryError } from '../../src/index.ts';
import { counts, EMPTY, hall, labels, Op } from '../support/op.ts';
import { rejection } from '../support/rejection.ts';

describe('behaviour 21: close', () => {
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

  it('returns no waits: one error for all rejects them, which tells how many were parked, and names one', async () => {
    const { purgatory, park } = hall();
    park('a', ['other']);
    const wait = { timeoutMs: 50, label: 'a checkout' };
    const waiting = [wait, { timeoutMs: 50 }].map((options, i) =>
      purgatory.waitFor([`order-${i}`, 'k'], () => undefined, options).catch((error: unknown) => error),
    );
    expect(labels(purgatory.close())).to.deep.equal(['a']);
    const [first, second] = (await Promise.all(waiting)) as Error[];
    expect(second).to.equal(first);
    expect(first).to.include({ code: 'ERR_PURGATORY_CLOSED', message: 'Purgatory "test" is closed' });
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
