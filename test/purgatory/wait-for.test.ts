import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer } from '../../src/index.ts';
import { counts, EMPTY, hall } from '../support/op.ts';
import { refuses, rejects } from '../support/refusals.ts';
import { rejection } from '../support/rejection.ts';
import { turn } from '../support/turns.ts';

describe('waitFor', () => {
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
});

describe('waitFor refuses bad arguments by a rejection, and follow in the call', () => {
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
      type Call = (...args: unknown[]) => Promise<unknown>;
      await rejects((purgatory.waitFor.bind(purgatory) as Call)(...args), code);
      refuses(() => (purgatory.follow.bind(purgatory) as never as Call)(...args), code);
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
    await rejects(wait(5), 'ERR_PURGATORY_FULL');
    timer.close();
    await rejects(wait(5), 'ERR_PURGATORY_CLOSED');
    expect(attempts).to.equal(1); // that of the one that was parked
    expect(purgatory.snapshot().refused).to.deep.equal({ ERR_PURGATORY_FULL: 1, ERR_PURGATORY_CLOSED: 1 });
    purgatory.close();
    await parked;
  });
});
