import { expect } from 'chai';
import { ManualClock, SystemTimer } from '../../../src/index.ts';
import { type Lease, type PutOptions, Queues, type Taken } from '../../../src/waits/queues/index.ts';
import { checkPurgatoryInvariants } from '../../support/checks/purgatory.ts';
import { refuses } from '../../support/refusals.ts';
import { uncaughtDuring } from '../../support/uncaught.ts';

const SOON = { timeoutMs: 100 };
const LEASE = { timeoutMs: 100, leaseMs: 50 };

function setUp(maxItems = Number.POSITIVE_INFINITY, maxPending = Number.POSITIVE_INFINITY) {
  const clock = new ManualClock();
  const timer = new SystemTimer({ clock, maxPending });
  const jobs = new Queues<number>('jobs', { timer, maxItems });
  const expired: string[] = [];
  const onExpired = (item: number, key: string): void => void expired.push(`${item} of ${key}`);
  const put = (item: number, options: PutOptions<number> = {}): boolean =>
    jobs.put('a', item, { onExpired, ...options });
  const kept = (): number[] => jobs.clear('a');
  return { clock, timer, jobs, expired, put, kept };
}

describe('An item with a deadline and a caller', () => {
  it('leaves at its deadline, which onExpired hears of, or at an abort, unless it was taken', async () => {
    const { clock, timer, jobs, expired, put, kept } = setUp();
    const caller = new AbortController();
    expect([put(1, SOON), put(2, { timeoutMs: 50 }), put(3, { signal: caller.signal })]).to.deep.equal([
      false,
      false,
      false,
    ]);
    put(4, SOON);
    expect(jobs.tryTake(['a'])?.value).to.equal(1);
    caller.abort();
    expect(jobs.sizeOf('a')).to.equal(2);
    clock.advance(50);
    expect([expired, jobs.size]).to.deep.equal([['2 of a'], 1]);
    expect(kept()).to.deep.equal([4]);
    clock.advance(1_000);
    expect([expired, timer.size, jobs.snapshot().items.expired]).to.deep.equal([['2 of a'], 0, 1]);
    checkPurgatoryInvariants(jobs);
  });

  it('is handed over at once where somebody waits, and has no deadline then', async () => {
    const { clock, timer, jobs, expired, put } = setUp();
    const wait = jobs.take(['a'], { timeoutMs: Number.POSITIVE_INFINITY });
    expect([put(1, SOON), timer.size]).to.deep.equal([true, 0]);
    clock.advance(100);
    expect([(await wait).value, expired]).to.deep.equal([1, []]);
  });

  it('has its deadline again when it comes back, and leaves then if that has passed meanwhile', async () => {
    const { clock, jobs, expired, put, kept } = setUp();
    const caller = new AbortController();
    for (const item of [1, 2]) put(item, SOON);
    for (const item of [3, 4]) put(item, { signal: caller.signal });
    const taken = jobs.tryTake(['a']) as Taken<number, string>;
    const leased = await jobs.lease(['a'], { ...LEASE, leaseMs: 200 });
    const third = jobs.tryTake(['a']) as Taken<number, string>;
    clock.advance(60);
    jobs.putBack(taken);
    clock.advance(39);
    expect(expired).to.deep.equal([]);
    clock.advance(1);
    expect(expired).to.deep.equal(['1 of a']);
    caller.abort();
    jobs.putBack(third); // nobody wants it
    clock.advance(100);
    expect([leased.expired, expired, kept()]).to.deep.equal([false, ['1 of a', '2 of a'], []]);
    checkPurgatoryInvariants(jobs);
  });

  it('throws what onExpired throws, or its promise rejects with, in a later turn (behaviour 5)', async () => {
    const { clock, put, jobs } = setUp();
    put(1, {
      ...SOON,
      onExpired: () => {
        throw 'thrown';
      },
    });
    put(2, { ...SOON, onExpired: async () => Promise.reject('rejected') });
    const errors = await uncaughtDuring(2, () => clock.advance(100));
    expect([errors.sort(), jobs.size]).to.deep.equal([['rejected', 'thrown'], 0]);
  });

  it('is refused before anything has changed: by its caller, a full timer, a bad option', () => {
    const { timer, jobs, put, kept } = setUp(Number.POSITIVE_INFINITY, 1);
    expect(() => put(1, { signal: AbortSignal.abort('gone') })).to.throw('gone');
    timer.schedule(() => {}, 10);
    refuses(() => put(1, SOON), 'ERR_PURGATORY_FULL');
    refuses(() => put(1, { afterMs: 5 }), 'ERR_PURGATORY_FULL');
    for (const bad of [{ timeoutMs: '5' }, { signal: 7 }, { onExpired: 7 }, { afterMs: '5' }]) {
      refuses(() => put(1, bad as never), 'ERR_INVALID_ARG_TYPE');
    }
    for (const bad of [{ timeoutMs: Number.NaN }, { afterMs: -1 }])
      refuses(() => put(1, bad), 'ERR_OUT_OF_RANGE');
    expect([jobs.size, jobs.snapshot().items.delayed, kept()]).to.deep.equal([0, 0, []]);
    expect(put(1, { signal: new AbortController().signal })).to.equal(false); // needs no place in the timer
    checkPurgatoryInvariants(jobs);
  });

  it('comes back though the timer is full: without a deadline, at once, and counted as refused; its caller may still go', () => {
    const { timer, jobs, put, kept } = setUp(Number.POSITIVE_INFINITY, 1);
    const caller = new AbortController();
    put(1, { ...SOON, signal: caller.signal });
    const taken = jobs.tryTake(['a']) as Taken<number, string>;
    timer.schedule(() => {}, 10);
    expect(jobs.putBack(taken, { afterMs: 5 })).to.equal(false);
    jobs.putBack('a', 0, { afterMs: 5 });
    expect([jobs.size, jobs.snapshot().refused]).to.deep.equal([2, { ERR_PURGATORY_FULL: 3 }]);
    caller.abort();
    expect(kept()).to.deep.equal([0]);
  });

  it('comes back, and ends its lease, though the clock throws, whose error is thrown in a later turn (behaviour 33)', async () => {
    const { clock, jobs, put, kept } = setUp();
    const now = clock.now.bind(clock);
    const stop = new AbortController();
    const giveBacks: ((given: Lease<number> | Taken<number, string>) => unknown)[] = [
      (taken) => jobs.putBack(taken as Taken<number, string>),
      (lease) => (lease as Lease<number>).nack(),
      () => stop.abort(),
    ];
    for (const [i, giveBack] of giveBacks.entries()) {
      put(1, SOON);
      const given =
        i === 0 ? jobs.tryTake(['a']) : await jobs.lease(['a'], { ...LEASE, signal: stop.signal });
      const errors = await uncaughtDuring(2, () => {
        clock.now = () => {
          throw 'no time';
        };
        giveBack(given as Lease<number>);
        clock.now = now;
      });
      expect([errors, jobs.size, kept()]).to.deep.equal([['no time', 'no time'], 1, [1]]);
      checkPurgatoryInvariants(jobs);
    }
  });

  it('leaves in O(1) however many there are, and so do the first and the last by remove', () => {
    const { clock, jobs, expired, put } = setUp();
    const count = 20_000;
    for (let i = 0; i < count; i++) put(i, { timeoutMs: 100 + (i % 7) });
    for (let i = 0; i < count / 4; i++) {
      if (!jobs.remove('a', i) || !jobs.remove('a', count - 1 - i)) throw new Error(`no ${i}`);
      if (i % 1_000 === 0) checkPurgatoryInvariants(jobs); // that no more are gone than are left
    }
    expect(jobs.size).to.equal(count / 2);
    jobs.putBack('a', -1); // stays before all others
    for (let ms = 0; ms < 107; ms++) {
      clock.advance(1);
      checkPurgatoryInvariants(jobs);
    }
    expect([jobs.clear('a'), expired.length]).to.deep.equal([[-1], count / 2]);
  });

  it('is the first that is removed, else the last, else one between, of those that are the same', () => {
    const { jobs, kept } = setUp();
    jobs.putAll('a', [1, 2, 1, 3, 1]);
    expect([jobs.remove('a', 1), jobs.remove('a', 1), jobs.remove('a', 7)]).to.eql([true, true, false]);
    expect(kept()).to.deep.equal([2, 1, 3]);
    jobs.putAll('a', [1, 2, 3, 4]);
    const one = jobs.tryTake(['a']) as Taken<number, string>;
    const two = jobs.tryTake(['a']) as Taken<number, string>;
    for (const each of [one, two]) jobs.putBack(each);
    expect([jobs.remove('a', 2), jobs.remove('a', 3), jobs.remove('a', 1)]).to.deep.equal([true, true, true]);
    expect([jobs.tryTake(['a'])?.value, jobs.size]).to.deep.equal([4, 0]);
    checkPurgatoryInvariants(jobs);
  });
});

describe('An item that comes later', () => {
  it('is put, or comes back to its place, so much later, and counts as delayed and against maxItems', async () => {
    const { clock, jobs, put } = setUp(3);
    put(1, { afterMs: 20 });
    put(2);
    const two = jobs.tryTake(['a']) as Taken<number, string>;
    expect([jobs.putBack(two, { afterMs: 10 }), jobs.size]).to.deep.equal([false, 0]);
    expect(jobs.put('b', 3)).to.equal(false);
    refuses(() => put(4), 'ERR_PURGATORY_FULL');
    refuses(() => jobs.putAll('b', [4]), 'ERR_PURGATORY_FULL');
    const wait = jobs.take(['a'], SOON);
    refuses(() => put(4, { afterMs: 5 }), 'ERR_PURGATORY_FULL'); // who waits may have gone by then
    expect(jobs.snapshot().items).to.deep.include({ size: 1, keys: 1, delayed: 2 });
    clock.advance(10);
    expect((await wait).value).to.equal(2);
    clock.advance(10);
    expect([jobs.sizeOf('a'), jobs.snapshot().items.delayed]).to.deep.equal([1, 0]);
    jobs.putBack('a', 0, { afterMs: 5 });
    clock.advance(5);
    expect(jobs.clear('a')).to.deep.equal([0, 1]);
  });

  it('is known to remove, to an abort, to its deadline and to clear', () => {
    const { clock, timer, jobs, expired, put, kept } = setUp();
    const caller = new AbortController();
    put(1, { afterMs: 50 });
    put(2, { afterMs: 50, signal: caller.signal });
    put(3, { afterMs: 50, timeoutMs: 40 });
    put(4, { afterMs: 50 });
    put(5);
    expect([jobs.remove('a', 1), jobs.remove('a', 1)]).to.deep.equal([true, false]);
    caller.abort();
    clock.advance(40);
    expect([expired, jobs.snapshot().items.delayed]).to.deep.equal([['3 of a'], 1]);
    expect([kept(), timer.size]).to.deep.equal([[5, 4], 0]);
    checkPurgatoryInvariants(jobs); // that the key is idle
  });
});
