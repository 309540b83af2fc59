// What a snapshot says of waits that go on for long: tries whose promise is open, waits without a
// deadline, and the age of the oldest.
import { expect } from 'chai';
import { ManualClock, Purgatory } from '../../../src/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { Op } from '../../support/op.ts';
import { microtasks } from '../../support/turns.ts';

const never = (): Promise<undefined> => new Promise(() => {});

describe('a snapshot of waits that go on for long', () => {
  let clock: ManualClock;
  let fetches: Purgatory<string, Op>;

  beforeEach(() => {
    clock = new ManualClock();
    fetches = new Purgatory('fetch', { clock });
  });

  const open = (): [number, string | undefined, number | undefined] => {
    const { open, oldest } = fetches.snapshot().openTries;
    return [open, oldest?.wait.label, oldest?.openMs];
  };

  it('counts the tries whose promise is open, and has the wait whose try has been open longest', async () => {
    expect(open()).to.deep.equal([0, undefined, undefined]);
    let settle = (_: unknown): void => {};
    const first = new Promise((resolve) => {
      settle = resolve;
    });
    void fetches.waitFor(['a'], () => first, { timeoutMs: 60_000, label: 'first' });
    clock.advance(100);
    void fetches.waitFor(['a'], never, { timeoutMs: 60_000, label: 'second' });
    clock.advance(1);
    expect(open()).to.deep.equal([2, 'first', 101]);
    settle(undefined);
    await microtasks();
    expect(open()).to.deep.equal([1, 'second', 1]);
  });

  it('counts a try anew that an event has caused, and none once its wait has ended', async () => {
    let condition = (): Promise<undefined> | undefined => undefined;
    void fetches.waitFor(['a'], () => condition(), { timeoutMs: 1_000, label: 'poll' });
    expect(open()[0]).to.equal(0);
    for (const next of [async () => undefined, never]) {
      condition = next;
      clock.advance(100);
      fetches.checkAndComplete('a');
      expect(open()).to.deep.equal([1, 'poll', 0]);
      await microtasks();
    }
    clock.advance(7);
    expect(open()).to.deep.equal([1, 'poll', 7]);
    clock.advance(1_000);
    expect(open()[0]).to.equal(0);
    const abort = new AbortController();
    fetches.waitFor(['a'], never, { timeoutMs: 1_000, signal: abort.signal }).catch(() => {});
    expect(open()[0]).to.equal(1);
    abort.abort();
    expect(open()[0]).to.equal(0);
  });

  it('counts a try that throws, or rejects, no more', async () => {
    let reject = (_: unknown): void => {};
    const condition = (): Promise<undefined> =>
      new Promise((_, no) => {
        reject = no;
      });
    fetches.waitFor(['a'], condition, { timeoutMs: 1_000 }).catch(() => {});
    expect(open()[0]).to.equal(1);
    reject(new Error('no'));
    await microtasks();
    expect(open()[0]).to.equal(0);
  });

  it('has the age of the oldest that has a deadline, where that is among the first thousand', () => {
    expect(fetches.snapshot().oldestMs).to.equal(null);
    const endless = (): Op => new Op('', { delayMs: Number.POSITIVE_INFINITY });
    for (let n = 0; n < 999; n++) fetches.tryCompleteElseWatch(endless(), ['a']);
    expect(fetches.snapshot().oldestMs).to.equal(null);
    fetches.tryCompleteElseWatch(new Op('', { delayMs: 60_000 }), ['a']);
    clock.advance(1_234);
    expect(fetches.snapshot().oldestMs).to.equal(1_234);
    const behind = new Purgatory<string, Op>('behind', { clock });
    for (let n = 0; n < 1_000; n++) behind.tryCompleteElseWatch(endless(), ['a']);
    behind.tryCompleteElseWatch(new Op('', { delayMs: 60_000 }), ['a']);
    expect(behind.snapshot().oldestMs).to.equal(null);
  });

  it('has the load of SharedWaits that is under way longest, with its age and the waits on its keys', async () => {
    const waits = new SharedWaits<number>('orders', { clock, load: () => new Promise(() => {}) });
    const oldest = () => waits.snapshot().loads.oldest;
    expect(oldest()).to.equal(null);
    for (const key of ['a', 'b', 'b']) {
      waits.waitUntil(key, () => undefined, { timeoutMs: 60_000 }).catch(() => {});
    }
    await microtasks();
    clock.advance(500);
    waits.waitUntil('b', () => undefined, { timeoutMs: 60_000 }).catch(() => {});
    waits.waitUntil('c', () => undefined, { timeoutMs: 60_000 }).catch(() => {});
    await microtasks();
    expect(waits.snapshot().loads.underWay).to.equal(2);
    expect(oldest()).to.deep.equal({ ageMs: 500, keys: 2, key: 'a', waits: 4 });
    waits.close();
    expect(oldest()).to.equal(null);
  });
});
