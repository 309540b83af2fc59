import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer } from '../../../src/index.ts';
import { host } from '../../../src/observe/inspector/host.ts';
import { Lookup } from '../../../src/observe/inspector/lookup.ts';
import { LiveSources } from '../../../src/observe/live-sources.ts';
import { labelObject, Queues } from '../../../src/waits/queues/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { Op } from '../../support/op.ts';
import { rejection } from '../../support/rejection.ts';

describe('Lookup', () => {
  let clock: ManualClock;
  let timer: SystemTimer;
  let fetches: Purgatory<unknown, Op>;
  let joins: Purgatory<unknown, Op>;
  let lookup: Lookup;

  beforeEach(() => {
    clock = new ManualClock();
    timer = new SystemTimer({ clock });
    fetches = new Purgatory('fetch', { timer });
    joins = new Purgatory('join', { timer });
    lookup = new Lookup(host, new LiveSources({ purgatories: [fetches, joins], timers: [], buses: [] }));
  });

  afterEach(() => {
    for (const each of [fetches, joins, timer]) each.close();
  });

  it('tells who waits on a key, the oldest first, since when and until when', async () => {
    for (const name of ['a', 'b', 'c']) {
      fetches.tryCompleteElseWatch(new Op(name, { delayMs: 1000 }), ['k', name]);
      clock.advance(10);
    }
    const beforeMs = Date.now();
    const { keys, exact, isWhole, operations, wallMs } = await lookup.find('k', undefined, false);
    expect(wallMs, 'when the ages were read').to.be.within(beforeMs, Date.now());
    expect({ exact, isWhole }).to.deep.equal({ exact: 1, isWhole: true });
    expect(keys).to.deep.equal([{ purgatory: 'fetch', key: 'k', watchers: 3 }]);
    expect(operations.map(({ keys: [, own], ageMs, leftMs }) => [own, ageMs, leftMs])).to.deep.equal([
      ['a', 30, 970],
      ['b', 20, 980],
      ['c', 10, 990],
    ]);
  });

  it('finds keys of numbers and bigints by what they look like, and others by what they are shown as', async () => {
    for (const key of [7, 7n, '7', labelObject({ topic: 'carts' }, 'orders')]) {
      fetches.tryCompleteElseWatch(new Op('a'), [key]);
    }
    const watched = async (text: string): Promise<string[]> =>
      (await lookup.find(text, undefined, true)).keys.map(({ key }) => key);
    expect(await watched('7')).to.deep.equal(['7', '7', '7n']);
    expect(await watched('7n')).to.deep.equal(['7n']);
    expect(await watched('ORDERS')).to.deep.equal(['[Object "orders"]']);
  });

  it('finds the keys that contain the text after the one that is spelled so, in the purgatory that is asked for', async () => {
    for (const key of ['orders-1', 'orders-10', 'Orders-11', 'payments-1']) {
      fetches.tryCompleteElseWatch(new Op('a'), [key]);
      joins.tryCompleteElseWatch(new Op('a'), [key]);
    }
    const found = await lookup.find('orders-1', 'join', true);
    expect(found.keys.map(({ purgatory, key }) => `${purgatory} ${key}`)).to.deep.equal([
      'join orders-1',
      'join orders-10',
      'join Orders-11',
    ]);
    const part = await lookup.find('ments', undefined, true);
    expect([part.exact, part.keys.length, part.isWhole]).to.deep.equal([0, 2, true]);
    expect(part.operations).to.have.lengthOf(1);
    expect((await lookup.find('ments', undefined, false)).keys).to.deep.equal([]);
    expect((await lookup.find('nothing', undefined, true)).operations).to.deep.equal([]);
  });

  it('finds who waits for an item, by a part of one of the keys', async () => {
    const jobs = new Queues<number>('jobs', { timer });
    const shown = new Lookup(host, new LiveSources({ purgatories: [jobs], timers: [], buses: [] }));
    const wait = jobs.take(['mail-urgent', 'mail'], { timeoutMs: 1000, label: 'worker 3' });
    jobs.put('mail-later', 1); // nobody waits for it
    const found = await shown.find('mail', undefined, true);
    expect(found.keys).to.deep.equal([
      { purgatory: 'jobs', key: 'mail', watchers: 1 },
      { purgatory: 'jobs', key: 'mail-urgent', watchers: 1 },
    ]);
    expect(found.operations.map(({ keys, label }) => [keys, label])).to.deep.equal([
      [['mail-urgent', 'mail'], 'worker 3'],
    ]);
    jobs.put('mail', 2);
    expect((await wait).value).to.equal(2);
    jobs.close();
  });

  it('finds a key by its beginning where only that is shown', async () => {
    const key = 'x'.repeat(500);
    fetches.tryCompleteElseWatch(new Op('a'), [`y${key}`]);
    fetches.tryCompleteElseWatch(new Op('b'), [key]);
    const { keys } = await lookup.find(`${key.slice(0, 99)}…`, undefined, true);
    expect(keys).to.deep.equal([{ purgatory: 'fetch', key: `${'x'.repeat(99)}…`, watchers: 1 }]);
  });

  it('tells twelve of each at most', async () => {
    for (let n = 0; n < 50; n++) fetches.tryCompleteElseWatch(new Op('a'), ['all', `all-${n}`]);
    const { keys, operations } = await lookup.find('all', undefined, true);
    expect([keys.length, operations.length]).to.deep.equal([12, 12]);
  });

  it('lets the event loop go on while it looks at very many keys, and gives up for a later search', async () => {
    for (let n = 0; n < 300_000; n++) fetches.tryCompleteElseWatch(new Op(''), [`key-${n}`]);
    let turns = 0;
    const interval = setInterval(() => turns++, 0);
    const found = await lookup.find('key-299999', 'fetch', true);
    clearInterval(interval);
    expect(found.exact).to.equal(1);
    expect(turns).to.be.above(1);
    const [first, second] = await Promise.all([
      lookup.find('no such', undefined, true),
      lookup.find('key-1', undefined, true),
    ]);
    expect(first.isWhole).to.equal(false);
    expect(second.isWhole).to.equal(true);
  });

  it('looks at keys that come and go meanwhile without harm', async () => {
    for (let n = 0; n < 20_000; n++) fetches.tryCompleteElseWatch(new Op('', { delayMs: 5 }), [`key-${n}`]);
    const found = lookup.find('late', undefined, true);
    clock.advance(5);
    fetches.tryCompleteElseWatch(new Op('late'), ['late']);
    expect(await found).to.include({ isWhole: true });
  });

  it('tells an operation that is asked for with all its keys, until it is parked no more', () => {
    const op = new Op('a', { delayMs: 500 });
    const keys = Array.from({ length: 30 }, (_, n) => `k${n}`);
    fetches.tryCompleteElseWatch(op, keys);
    fetches.tryCompleteElseWatch(new Op('b'), ['k0']);
    const id = lookup.idOf(op, fetches);
    const asked = lookup.operation(id);
    expect(asked).to.include({ type: 'Op', purgatory: 'fetch', leftMs: 500 });
    expect(asked?.watches.slice(0, 2)).to.deep.equal([
      { purgatory: 'fetch', key: 'k0', watchers: 2 },
      { purgatory: 'fetch', key: 'k1', watchers: 1 },
    ]);
    expect(asked?.watches).to.have.lengthOf(12);
    op.cancel();
    expect(lookup.operation(id)).to.equal(null);
    joins.tryCompleteElseWatch(op, ['elsewhere']);
    expect(lookup.operation(id)).to.equal(null);
    expect(lookup.operation(12_345)).to.equal(null);
    expect(lookup.operation(Number.NaN)).to.equal(null);
  });

  it('knows the latest two thousand operations that it has told', () => {
    const op = new Op('a');
    fetches.tryCompleteElseWatch(op, ['k']);
    const id = lookup.idOf(op, fetches);
    expect(lookup.idOf(op, fetches)).to.equal(id);
    for (let n = 0; n < 2000; n++) lookup.idOf(new Op(''), fetches);
    expect(lookup.operation(id)).to.equal(null);
    expect(lookup.idOf(op, fetches)).to.be.above(id);
  });

  it('finds what waits for thresholds and for shared state, and nothing in a purgatory that does not give its operations away', async () => {
    const offsets = new ThresholdPurgatory<string>('offsets', { timer });
    const state = new SharedWaits('state', { load: async () => new Map(), clock });
    const NEVER = { timeoutMs: Number.POSITIVE_INFINITY };
    const waits = [
      ...[3, 1, 2].map((offset) => rejection(offsets.awaitAtLeast('log', offset, NEVER))),
      rejection(state.waitUntil('log', () => undefined, NEVER)),
    ];
    offsets.advance('idle', 1);
    const mute = { name: 'mute', snapshot: () => offsets.snapshot() };
    const sources = new LiveSources({ purgatories: [offsets, state, mute], timers: [], buses: [] });
    const { keys, operations } = await new Lookup(host, sources).find('l', undefined, true);
    expect(keys).to.deep.equal([
      { purgatory: 'offsets', key: 'log', watchers: 3 },
      { purgatory: 'state', key: 'log', watchers: 1 },
    ]);
    expect(operations.map(({ leftMs }) => leftMs)).to.deep.equal([null, null, null]);
    for (const each of [offsets, state]) each.close();
    await Promise.all(waits);
  });
});
