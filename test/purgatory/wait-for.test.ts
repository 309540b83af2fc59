import { expect } from 'chai';
import { ManualClock, Purgatory, PurgatoryError, SystemTimer } from '../../src/index.ts';
import { counts, EMPTY, hall } from '../support/op.ts';
import { rejection } from '../support/rejection.ts';
import { turn } from '../support/turns.ts';

describe('waitFor', () => {
  it('resolves at once with what the first attempt returns', async () => {
    const { timer, purgatory } = hall();
    let attempts = 0;
    const result = purgatory.waitFor(['k'], () => `attempt ${++attempts}`, { timeoutMs: 50 });
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect(timer.size).to.equal(0);
    expect(await result).to.deep.equal({ expired: false, value: 'attempt 1' });
  });

  it('takes undefined, null and false for "not yet", at once and in a promise', async () => {
    const { clock, purgatory } = hall();
    for (const value of [undefined, null, false]) {
      const waits = [() => value, async () => value].map((attempt) =>
        purgatory.waitFor(['k'], attempt, { timeoutMs: 50 }),
      );
      await turn();
      expect(purgatory.numDelayed, String(value)).to.equal(2);
      clock.advance(50);
      expect(await Promise.all(waits)).to.deep.equal([{ expired: true }, { expired: true }]);
    }
  });

  it('waits until a flag is set', async () => {
    const { purgatory } = hall();
    const job = { done: false };
    const result = purgatory.waitFor(['job'], () => job.done, { timeoutMs: 50 });
    job.done = true;
    purgatory.notify('job');
    expect(await result).to.deep.equal({ expired: false, value: true });
  });

  it('tells an attempt the key whose event caused it, and none at parking', async () => {
    const { purgatory } = hall();
    const keys: unknown[] = [];
    const look = ({ key }: { key: unknown }): void => void keys.push(key);
    purgatory.waitFor(['k', 'l'], look, { timeoutMs: 50 });
    expect(keys).to.deep.equal([undefined]);
    purgatory.checkAndComplete('k');
    purgatory.notify('l');
    await turn();
    expect(keys.slice(1)).to.deep.equal(['k', 'l']);
    // A wait that begins inside an attempt has its own first attempt.
    const inner: unknown[] = [];
    const begin = ({ key }: { key: unknown }): void => {
      if (key !== undefined)
        purgatory.waitFor(['m'], (context) => void inner.push(context.key), { timeoutMs: 50 });
    };
    purgatory.waitFor(['n'], begin, { timeoutMs: 50 });
    purgatory.checkAndComplete('n');
    expect(inner).to.deep.equal([undefined]);
    purgatory.checkAndComplete('m');
    expect(inner).to.deep.equal([undefined, 'm']);
  });

  it('tells an attempt that follows one under way the last key of an event meanwhile', async () => {
    const { purgatory } = hall();
    const keys: unknown[] = [];
    const look = async ({ key }: { key: unknown }): Promise<void> => void keys.push(key);
    purgatory.waitFor(['k', 'l'], look, { timeoutMs: 50 });
    purgatory.checkAndComplete('k');
    purgatory.checkAndComplete('l');
    await turn();
    expect(keys).to.deep.equal([undefined, 'l']);
    purgatory.checkAndComplete('k');
    await turn();
    expect(keys).to.deep.equal([undefined, 'l', 'k']);
  });

  it('takes every other value for an answer', async () => {
    const { purgatory } = hall();
    for (const value of [true, 0, '', Number.NaN]) {
      expect(await purgatory.waitFor(['k'], () => value, { timeoutMs: 50 })).to.deep.equal({
        expired: false,
        value,
      });
    }
  });

  it('is parked as long as the attempt returns undefined, and resolves on an event', async () => {
    const { timer, purgatory } = hall();
    let value: string | undefined;
    let attempts = 0;
    const attempt = (): string | undefined => {
      attempts++;
      return value;
    };
    const result = purgatory.waitFor(['k', 'l'], attempt, { timeoutMs: 50 });
    expect(counts(purgatory)).to.deep.equal({ watched: 2, watchedKeys: 2, numDelayed: 1 });
    expect(timer.size).to.equal(1);
    expect(attempts).to.equal(1);
    expect(purgatory.checkAndComplete('k')).to.equal(0);
    expect(attempts).to.equal(2);
    value = 'answer';
    expect(purgatory.checkAndComplete('l')).to.equal(1);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect(timer.size).to.equal(0);
    expect(await result).to.deep.equal({ expired: false, value: 'answer' });
    expect(attempts).to.equal(3);
  });

  it('resolves on notify', async () => {
    const { purgatory } = hall();
    let value: number | undefined;
    const result = purgatory.waitFor(['k'], () => value, { timeoutMs: 50 });
    value = 1;
    purgatory.notify('k');
    expect(await result).to.deep.equal({ expired: false, value: 1 });
  });

  it('resolves as expired at its deadline, without another attempt', async () => {
    const { clock, timer, purgatory } = hall();
    let attempts = 0;
    const result = purgatory.waitFor(['k'], () => void attempts++, { timeoutMs: 50 });
    attempts = 0;
    clock.advance(49);
    expect(purgatory.numDelayed).to.equal(1);
    clock.advance(1);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect(timer.size).to.equal(0);
    expect(await result).to.deep.equal({ expired: true });
    expect(attempts).to.equal(0);
  });

  it('expires in a later turn with a timeout of 0, or below', async () => {
    const { clock, purgatory } = hall();
    const results = [0, -5].map((timeoutMs) => purgatory.waitFor(['k'], () => undefined, { timeoutMs }));
    expect(purgatory.numDelayed).to.equal(2);
    clock.advance(0);
    expect(await Promise.all(results)).to.deep.equal([{ expired: true }, { expired: true }]);
  });

  it('has no deadline with a timeout of Infinity (behaviour 19)', async () => {
    const { clock, timer, purgatory } = hall();
    let value: number | undefined;
    const result = purgatory.waitFor(['k'], () => value, { timeoutMs: Number.POSITIVE_INFINITY });
    expect(timer.size).to.equal(0);
    clock.advance(1e12);
    value = 7;
    purgatory.checkAndComplete('k');
    expect(await result).to.deep.equal({ expired: false, value: 7 });
  });

  it('stands in park order with the operations of its key', async () => {
    const { purgatory, park } = hall();
    const order: string[] = [];
    park('a', ['k'], { onTry: (op) => void order.push(op.label) });
    const waiting = purgatory.waitFor(['k'], () => void order.push('waiter'), { timeoutMs: 5 });
    park('b', ['k'], { onTry: (op) => void order.push(op.label) });
    order.length = 0;
    purgatory.checkAndComplete('k');
    expect(order).to.deep.equal(['a', 'waiter', 'b']);
    const rejected = rejection(waiting);
    purgatory.close();
    await rejected;
  });

  it('serves a thousand waiters of one key in one pass', async () => {
    const { purgatory } = hall();
    let open = false;
    const results = Array.from({ length: 1_000 }, (_, i) =>
      purgatory.waitFor(['k'], () => (open ? i : undefined), { timeoutMs: 5 }),
    );
    open = true;
    expect(purgatory.checkAndComplete('k')).to.equal(1_000);
    const values = await Promise.all(results);
    expect(values.map((result) => result.expired === false && result.value)).to.deep.equal(
      Array.from({ length: 1_000 }, (_, i) => i),
    );
  });
});

describe('waitFor refuses bad arguments by a rejection, never by a throw', () => {
  const cases: [string, readonly unknown[], string][] = [
    ['no keys', [[], () => 1, { timeoutMs: 5 }], 'ERR_INVALID_ARG_VALUE'],
    ['keys that are no array', ['key', () => 1, { timeoutMs: 5 }], 'ERR_INVALID_ARG_TYPE'],
    ['a condition that is no function', [['k'], 'condition', { timeoutMs: 5 }], 'ERR_INVALID_ARG_TYPE'],
    ['no options', [['k'], () => 1], 'ERR_INVALID_ARG_TYPE'],
    ['null for options', [['k'], () => 1, null], 'ERR_INVALID_ARG_TYPE'],
    ['no timeoutMs', [['k'], () => 1, {}], 'ERR_INVALID_ARG_TYPE'],
    ['a timeoutMs that is a string', [['k'], () => 1, { timeoutMs: '5' }], 'ERR_INVALID_ARG_TYPE'],
    ['a timeoutMs of NaN', [['k'], () => 1, { timeoutMs: Number.NaN }], 'ERR_OUT_OF_RANGE'],
    ['a timeoutMs above MAX_SAFE_INTEGER', [['k'], () => 1, { timeoutMs: 2 ** 53 }], 'ERR_OUT_OF_RANGE'],
    ['a signal that is none', [['k'], () => 1, { timeoutMs: 5, signal: {} }], 'ERR_INVALID_ARG_TYPE'],
  ];

  for (const [what, args, code] of cases) {
    it(what, async () => {
      const { purgatory } = hall();
      const waitFor = purgatory.waitFor.bind(purgatory) as (...args: unknown[]) => Promise<unknown>;
      let promise: Promise<unknown> | undefined;
      expect(() => {
        promise = waitFor(...args);
      }).to.not.throw();
      expect(await rejection(promise as Promise<unknown>))
        .to.be.instanceOf(Error)
        .with.property('code', code);
      expect(counts(purgatory)).to.deep.equal(EMPTY);
    });
  }

  it('refuses on a timer that is full or closed before its attempt, unless it needs no timer', async () => {
    const timer = new SystemTimer({ clock: new ManualClock(), maxPending: 1 });
    using purgatory = new Purgatory<string>('p', { timer });
    let attempts = 0;
    const wait = (timeoutMs: number): Promise<unknown> =>
      purgatory.waitFor(['k'], () => ++attempts > 0 && undefined, { timeoutMs });
    const parked = rejection(wait(Number.POSITIVE_INFINITY));
    timer.schedule(() => {}, 50);
    expect(await rejection(wait(5))).to.have.property('code', 'ERR_PURGATORY_FULL');
    timer.close();
    expect(await rejection(wait(5))).to.have.property('code', 'ERR_PURGATORY_CLOSED');
    expect(attempts).to.equal(1); // that of the one that was parked
    expect(purgatory.snapshot().refused).to.deep.equal({ ERR_PURGATORY_FULL: 1, ERR_PURGATORY_CLOSED: 1 });
    purgatory.close();
    await parked;
  });

  it('and so tells of a purgatory that is closed, or full', async () => {
    const { purgatory } = hall({ maxParked: 1 });
    const first = purgatory.waitFor(['k'], () => undefined, { timeoutMs: 5 });
    const full = await rejection(purgatory.waitFor(['k'], () => undefined, { timeoutMs: 5 }));
    expect(full).to.be.instanceOf(PurgatoryError).with.property('code', 'ERR_PURGATORY_FULL');
    const closing = rejection(first);
    purgatory.close();
    await closing;
    const closed = await rejection(purgatory.waitFor(['k'], () => 1, { timeoutMs: 5 }));
    expect(closed).to.be.instanceOf(PurgatoryError).with.property('code', 'ERR_PURGATORY_CLOSED');
  });
});
