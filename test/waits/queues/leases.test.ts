import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { ManualClock, SystemTimer } from '../../../src/index.ts';
import { type Lease, Queues } from '../../../src/waits/queues/index.ts';
import { checkPurgatoryInvariants } from '../../support/checks/purgatory.ts';
import { refuses, rejects } from '../../support/refusals.ts';
import { codeOfRejection } from '../../support/rejection.ts';

const NEVER = Number.POSITIVE_INFINITY;
const SHORT = { timeoutMs: 100, leaseMs: 50 };

function setUp(maxPending = NEVER) {
  const clock = new ManualClock();
  const timer = new SystemTimer({ clock, maxPending });
  const jobs = new Queues<number>('jobs', { timer });
  const lease = (options = {}): Promise<Lease<number>> =>
    jobs.lease(['a'], { ...SHORT, ...options }) as Promise<Lease<number>>;
  const kept = (): number[] => jobs.clear('a');
  return { clock, timer, jobs, lease, kept };
}

describe('A lease of Queues', () => {
  it('is what take gives, with how often the item was delivered, and ends it by ack', async () => {
    const { timer, jobs, lease } = setUp();
    jobs.put('a', 7);
    const shown = "Lease { expired: false, key: 'a', value: 7, deliveries: 1 }"; // and nothing of its inside
    expect(inspect(await lease({ label: 'ann' }))).to.equal(shown);
    const waiting = lease({ leaseMs: NEVER });
    jobs.put('a', 8);
    const second = await waiting;
    expect([second.value, second.deliveries, jobs.size, timer.size]).to.deep.equal([8, 1, 0, 1]);
    expect([second.ack(), second.ack(), second.nack(), second.extend(5)]).to.eql([true, false, false, false]);
    expect(jobs.snapshot().items).to.deep.include({ size: 0, leased: 1, taken: 2, lapsed: 0 });
    checkPurgatoryInvariants(jobs);
  });

  it('comes back to its place at its end, by nack and by an abort of its signal (behaviours 33 and 37)', async () => {
    const { clock, jobs, lease } = setUp();
    const stop = new AbortController();
    jobs.putAll('a', [1, 2, 3, 4]);
    const ended = await lease();
    const aborted = await lease({ signal: stop.signal, leaseMs: NEVER });
    const refused = await lease();
    expect([jobs.size, jobs.snapshot().items.leased]).to.deep.equal([1, 3]);
    expect(refused.nack()).to.equal(true);
    stop.abort();
    clock.advance(49);
    expect(jobs.sizeOf('a')).to.equal(3);
    clock.advance(1);
    expect([ended, aborted, refused].map((each) => each.ack())).to.deep.equal([false, false, false]);
    expect(getEventListeners(stop.signal, 'abort')).to.have.lengthOf(0);
    const again = [await lease(), await lease(), await lease(), await lease()];
    expect(again.map(({ value, deliveries }) => [value, deliveries])).to.deep.equal([
      [1, 2],
      [2, 2],
      [3, 2],
      [4, 1],
    ]);
    expect(jobs.snapshot().items).to.deep.include({ leased: 4, lapsed: 1 });
  });

  it('goes to who waits first, in the call that ends it (behaviours 31 and 32)', async () => {
    const { jobs, lease } = setUp();
    jobs.put('a', 1);
    const first = await lease();
    const [second, third] = [lease(), jobs.take(['a'], { timeoutMs: 100 })];
    expect([first.nack(), jobs.numDelayed]).to.deep.equal([true, 1]);
    expect([(await second).deliveries, (await second).nack()]).to.deep.equal([2, true]);
    expect(await third).to.deep.equal({ expired: false, key: 'a', value: 1 });
    expect(jobs.putBack((await third) as never)).to.equal(false);
    expect((await lease()).deliveries).to.equal(4); // take counts, too
  });

  it('is over in that call where its signal aborts after the hand-over (behaviour 32)', async () => {
    const { jobs, lease, kept } = setUp();
    const stop = new AbortController();
    const waiting = lease({ signal: stop.signal });
    jobs.put('a', 1);
    expect(jobs.size).to.equal(0);
    stop.abort();
    expect(jobs.size).to.equal(1);
    expect((await waiting).ack()).to.equal(false);
    expect(kept()).to.deep.equal([1]);
  });

  it('is extended from now on, also from and to one without an end', async () => {
    const { clock, timer, jobs, lease } = setUp();
    jobs.put('a', 1);
    const leased = await lease();
    clock.advance(40);
    expect(leased.extend(30)).to.equal(true);
    clock.advance(29);
    expect([leased.extend(NEVER), timer.size]).to.deep.equal([true, 0]);
    clock.advance(1_000);
    expect([leased.extend(10), jobs.size]).to.deep.equal([true, 0]);
    clock.advance(10);
    expect([leased.extend(10), jobs.size]).to.deep.equal([false, 1]);
  });

  it('is ended by clear, which returns its item in its place, and by close, which keeps it (behaviour 37)', async () => {
    const { clock, timer, jobs, lease } = setUp();
    const stop = new AbortController();
    jobs.putAll('a', [1, 2, 3]);
    const first = await lease({ signal: stop.signal });
    jobs.put('a', 4, { afterMs: 10 });
    expect(jobs.clear('a')).to.deep.equal([1, 2, 3, 4]);
    expect([first.ack(), first.nack(), timer.size, jobs.size]).to.deep.equal([false, false, 0, 0]);
    jobs.putAll('a', [5, 6]);
    jobs.put('a', 7, { afterMs: 10, timeoutMs: 20 });
    const second = await lease({ signal: stop.signal });
    expect(jobs.close()).to.deep.equal([]);
    expect([second.ack(), jobs.size, timer.size]).to.deep.equal([false, 3, 0]);
    expect(getEventListeners(stop.signal, 'abort')).to.have.lengthOf(0);
    clock.advance(100);
    expect([jobs.tryTake(['a'])?.value, ...jobs.clear('a')]).to.deep.equal([5, 6, 7]);
    await rejects(jobs.lease(['a'], SHORT), 'ERR_PURGATORY_CLOSED');
  });

  it('is not begun where its timer has no room for its end: the item stays, and the next one waits', async () => {
    const { clock, timer, jobs, lease } = setUp(2);
    const task = timer.schedule(() => {}, 1_000);
    jobs.put('a', 1);
    const first = await lease();
    const [endless, waiting] = [lease({ timeoutMs: NEVER }), lease({ timeoutMs: NEVER, leaseMs: NEVER })];
    jobs.put('a', 2);
    expect(await codeOfRejection(endless)).to.equal('ERR_PURGATORY_FULL');
    expect((await waiting).value).to.equal(2);
    jobs.put('a', 3);
    await rejects(lease(), 'ERR_PURGATORY_FULL');
    expect(jobs.size).to.equal(1);
    first.ack();
    expect((await lease()).deliveries).to.equal(1);
    task.cancel();
    // The place of the wait is that of the lease.
    const last = lease();
    jobs.put('a', 4);
    expect([(await last).value, timer.size]).to.deep.equal([4, 2]);
    clock.advance(100);
    expect([timer.size, jobs.snapshot().refused]).to.deep.equal([0, { ERR_PURGATORY_FULL: 2 }]);
    checkPurgatoryInvariants(jobs);
  });

  it('is shown in the snapshot: the oldest, by whom, and which keys have many items', async () => {
    const { clock, jobs, lease } = setUp();
    expect(jobs.snapshot().items).to.deep.include({ leasedLongest: null, leases: [], longest: [] });
    jobs.putAll('a', [1, 2, 3]);
    jobs.putAll('b', [4, 5]);
    const first = await lease({ leaseMs: NEVER });
    clock.advance(10);
    await lease({ leaseMs: NEVER, label: 'worker 7' });
    clock.advance(5);
    const oldest = { key: 'a', label: null, ageMs: 15, deliveries: 1 };
    const second = { key: 'a', label: 'worker 7', ageMs: 5, deliveries: 1 };
    const longest = [
      { key: 'b', size: 2 },
      { key: 'a', size: 1 },
    ];
    const items = { leased: 2, leasedLongest: oldest, leases: [oldest, second], longest };
    expect(jobs.snapshot().items).to.deep.include(items);
    expect(jobs.snapshot({ top: 0 }).items).to.deep.include({ ...items, leases: [], longest: [] });
    first.nack();
    await lease({ leaseMs: NEVER }); // the first anew: the second is the oldest now
    expect(jobs.snapshot({ top: 1 }).items).to.deep.include({ leasedLongest: second, leases: [second] });
  });

  it('is what idle of its queues waits for, until a deadline', async () => {
    const { clock, jobs, lease } = setUp();
    expect(await jobs.idle()).to.deep.equal({ expired: false });
    jobs.putAll('a', [1, 2]);
    const leases = [await lease({ leaseMs: NEVER }), await lease({ leaseMs: NEVER })];
    const [late, inTime] = [jobs.idle({ timeoutMs: 100 }), jobs.idle({ timeoutMs: 200 })];
    leases[0].ack();
    clock.advance(100);
    leases[1].nack({ afterMs: 30 });
    expect([await late, await inTime]).to.deep.equal([{ expired: true }, { expired: false }]);
    expect(jobs.snapshot().items).to.deep.include({ size: 0, leased: 0, delayed: 1 });
    clock.advance(30);
    expect(jobs.size).to.equal(1);
  });

  it('refuses bad arguments with the codes of Node, before anything has changed', async () => {
    const { jobs, lease } = setUp();
    jobs.put('a', 1);
    for (const leaseMs of [undefined, '5']) await rejects(lease({ leaseMs }), 'ERR_INVALID_ARG_TYPE');
    for (const leaseMs of [0, -1, Number.NaN]) await rejects(lease({ leaseMs }), 'ERR_OUT_OF_RANGE');
    const leased = await lease();
    refuses(() => leased.extend(0), 'ERR_OUT_OF_RANGE');
    refuses(() => leased.nack({ afterMs: -1 }), 'ERR_OUT_OF_RANGE');
    refuses(() => leased.nack(7 as never), 'ERR_INVALID_ARG_TYPE');
    for (const options of [[], [{ afterMs: 5 }]] as never[][]) {
      refuses(
        () => jobs.putBack(leased as never, ...options),
        'ERR_INVALID_ARG_VALUE',
        'it comes back by nack()',
      );
    }
    expect([leased.ack(), jobs.size]).to.deep.equal([true, 0]);
  });
});
