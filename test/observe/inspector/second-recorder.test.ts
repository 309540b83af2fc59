// What a second of the history has of the purgatories. What the page says of it: incidents.test.ts.
import { expect } from 'chai';
import { LocalHub } from '../../../src/bus/transports/local-hub.ts';
import { Purgatory, SystemTimer } from '../../../src/index.ts';
import type { SecondOfPurgatory } from '../../../src/observe/inspector/frame.ts';
import { SecondRecorder } from '../../../src/observe/inspector/second-recorder.ts';
import { LiveSources } from '../../../src/observe/live-sources.ts';
import type { ObservedPurgatory } from '../../../src/observe/sources.ts';
import { Queues } from '../../../src/waits/queues/index.ts';
import { Semaphore } from '../../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { Op } from '../../support/op.ts';
import { turn } from '../../support/turns.ts';
import { FakeHost } from './fake-host.ts';

const LONG = { timeoutMs: 3_600_000 };
const never = (): Promise<never> => new Promise(() => {});

describe('a second of the history', () => {
  const closing: { close(): unknown }[] = [];
  let host: FakeHost;
  let timer: SystemTimer;

  beforeEach(() => {
    host = new FakeHost(0);
    timer = open(new SystemTimer({ clock: host.clock }));
  });

  afterEach(() => {
    for (const each of closing.splice(0).reverse()) each.close();
  });

  function open<T extends { close(): unknown }>(source: T): T {
    closing.push(source);
    return source;
  }

  function recording(purgatory: ObservedPurgatory): SecondRecorder {
    const sources = new LiveSources({ purgatories: [purgatory], timers: [], buses: [] });
    const recorder = new SecondRecorder(host, sources, (error) => {
      throw error;
    });
    recorder.start(recorder);
    return recorder;
  }

  /** The last second after `ms`. */
  async function secondAfter(ms: number, purgatory: ObservedPurgatory): Promise<SecondOfPurgatory> {
    const recorder = recording(purgatory);
    await host.advance(ms);
    recorder.stop(recorder);
    return recorder.seconds.at(-1)?.purgatories[purgatory.name] as SecondOfPurgatory;
  }

  it('is one of the last ten minutes', async () => {
    const recorder = recording(open(new Purgatory('fetch', { timer })));
    await host.advance(605_000);
    recorder.stop(recorder);
    expect(recorder.seconds.map(({ number }) => number)).to.have.length(600);
    expect([recorder.seconds[0].number, recorder.seconds[599].number]).to.deep.equal([6, 605]);
  });

  it('has the key that most watch, from 20 watchers on', async () => {
    const fetches = open(new Purgatory<string, Op>('fetch', { timer }));
    const park = (): unknown => fetches.tryCompleteElseWatch(new Op('', { delayMs: 60_000 }), ['orders']);
    for (let n = 0; n < 19; n++) park();
    expect(await secondAfter(1_000, fetches)).to.not.have.property('hottest');
    park();
    expect((await secondAfter(1_000, fetches)).hottest).to.include({ key: 'orders', watchers: 20 });
  });

  it('has an operation that a timer without a reaper leaves parked after its deadline', async () => {
    const still = open(new SystemTimer({ clock: host.clock, reaper: false }));
    const fetches = open(new Purgatory<string, Op>('fetch', { timer: still }));
    fetches.tryCompleteElseWatch(new Op('', { delayMs: 1_000 }), ['orders']);
    expect(await secondAfter(1_900, fetches)).to.not.have.property('overdueMs');
    expect((await secondAfter(1_100, fetches)).overdueMs).to.equal(1_900);
  });

  it('has how many wait without a deadline, and what one of them is', async () => {
    const sessions = open(new Purgatory<string>('sessions', { timer }));
    const wait = (label: string): unknown =>
      sessions.waitFor(['page'], () => undefined, { timeoutMs: Infinity, label }).catch(() => {});
    wait('first');
    wait('last');
    expect(await secondAfter(1_000, sessions)).to.deep.include({ endless: 2, endlessOne: 'last' });
  });

  it('has the try that has been open longest, from 5 s on', async () => {
    const sessions = open(new Purgatory<string>('sessions', { timer }));
    for (let n = 0; n < 2; n++) sessions.waitFor(['page'], never, { ...LONG, label: 'page' }).catch(() => {});
    expect(await secondAfter(4_000, sessions)).to.not.have.property('openTry');
    expect((await secondAfter(1_000, sessions)).openTry).to.deep.equal({
      wait: 'page',
      openMs: 5_000,
      open: 2,
    });
  });

  it('has a permit that is held for a minute while others wait for its key', async () => {
    const locks = open(new Semaphore<string>('locks', { units: 1, timer }));
    for (const key of ['alone', 'wanted']) locks.tryAcquire({ key, label: key });
    locks.acquire({ key: 'wanted', ...LONG }).catch(() => {});
    expect(await secondAfter(59_000, locks)).to.not.have.property('held');
    const { held } = await secondAfter(1_000, locks);
    expect(held).to.deep.include({ key: 'wanted', waiting: 1, waitedMs: 60_000 });
    expect(held?.holder).to.include({ label: 'wanted', ageMs: 60_000 });
  });

  it('has the key whose units others wait for, from 3 s on where four wait or half of the time is gone', async () => {
    const locks = open(new Semaphore<string>('locks', { units: 1, timer }));
    const waits = (key: string, count: number, timeoutMs: number): void => {
      for (let n = 0; n < count; n++) locks.acquire({ key, timeoutMs }).catch(() => {});
    };
    for (const key of ['three', 'four', 'half']) locks.tryAcquire({ key });
    waits('three', 3, 60_000);
    waits('four', 4, 60_000);
    expect(await secondAfter(2_000, locks)).to.not.have.property('held');
    expect((await secondAfter(1_000, locks)).held).to.deep.equal({
      key: 'four',
      waiting: 4,
      waitedMs: 3_000,
    });
    locks.cancelForKey('four');
    waits('half', 1, 6_000);
    expect(await secondAfter(2_000, locks)).to.not.have.property('held');
    expect((await secondAfter(1_000, locks)).held).to.include({ key: 'half', waiting: 1, waitedMs: 3_000 });
  });

  it('has how many items are kept, of how many, and how many were taken', async () => {
    const jobs = open(new Queues<number>('jobs', { timer, maxItems: 5 }));
    for (let n = 0; n < 3; n++) jobs.put('mail', n);
    expect((await secondAfter(1_000, jobs)).items).to.deep.include({ size: 3, max: 5 });
    const recorder = recording(jobs);
    jobs.tryTake(['mail']);
    await host.advance(1_000);
    recorder.stop(recorder);
    expect(recorder.seconds.at(-1)?.purgatories.jobs).to.include({ taken: 1 });
    await host.advance(1_000);
    const { items } = await secondAfter(1_000, jobs);
    expect(items?.oldest).to.deep.equal({ key: 'mail', ageMs: 4_000 });
  });

  it('has the load that has been under way longest, from 5 s on, and loads that fail', async () => {
    const orders = open(
      new SharedWaits<number>('orders', {
        clock: host.clock,
        load: ([key]) => (key === 'lost' ? Promise.reject(new Error('down')) : never()),
        retry: true,
        onError: () => {},
        loadTimeoutMs: 60_000,
      }),
    );
    orders.waitUntil('a', () => undefined, LONG).catch(() => {});
    await turn(); // that load has begun
    expect(await secondAfter(4_000, orders)).to.not.have.property('load');
    orders.waitUntil('lost', () => undefined, LONG).catch(() => {});
    const second = await secondAfter(1_000, orders);
    expect(second.load).to.include({ ageMs: 5_000 });
    expect(second.loadsFailed).to.be.at.least(1);
  });

  it('has the buses that have been in a gap for a second', async () => {
    const hub = new LocalHub({ clock: host.clock });
    const bus = open(hub.bus({ clock: host.clock }));
    const sessions = open(new Purgatory<string>('sessions', { timer, bus }));
    const recorder = recording(sessions);
    await host.advance(3_000);
    hub.cut(bus);
    await host.advance(2_000);
    recorder.stop(recorder);
    const told = recorder.seconds.map(({ cutOff }) => cutOff?.join());
    expect(told[0]).to.equal(undefined);
    expect(told.at(-1)).to.equal('sessions');
  });

  it('has what was refused in it, by the code, and the event that has been under way for long', async () => {
    let full = 5;
    const oldestPass = { key: 'orders-0', watchers: 100_000, tried: 61_000, ageMs: 99 };
    const fetches = open(new Purgatory('fetch', { timer }));
    const snapshot = (options: { top: number }) => {
      const told = fetches.snapshot(options);
      return { ...told, refused: { full }, events: { ...told.events, oldestPass } };
    };
    const recorder = recording({ name: 'jobs', snapshot });
    await host.advance(1_000);
    full = 12;
    oldestPass.ageMs = 640;
    await host.advance(1_000);
    recorder.stop(recorder);
    expect(recorder.seconds.map(({ purgatories }) => purgatories.jobs)).to.deep.equal([
      { parked: 0 },
      { parked: 0, refused: { full: 7 }, pass: { ...oldestPass, tryMs: null } },
    ]);
  });

  it('has the last error of user code, with its operation and its key', async () => {
    const jobs = open(new Purgatory<string, Op>('jobs', { timer, onError: () => {} }));
    const fails = { error: new TypeError('no such topic') as unknown };
    const onTry = (_: Op, key: unknown): void => {
      if (key !== undefined) throw fails.error;
    };
    jobs.tryCompleteElseWatch(new Op('', { onTry, delayMs: LONG.timeoutMs }), ['a']);
    const recorder = recording(jobs);
    const errorOf = async (): Promise<unknown> => {
      jobs.checkAndComplete('a');
      await host.advance(1_000);
      return recorder.seconds.at(-1)?.purgatories.jobs.error;
    };
    const message = 'TypeError: no such topic';
    expect(await errorOf()).to.deep.equal({ operation: 'Op', key: 'a', message });
    fails.error = Object.create(null);
    expect(await errorOf()).to.include({
      message: 'an error whose text cannot be read: reading it throws',
    });
    recorder.stop(recorder);
  });

  it('has waits that were rejected, and the last error, of a condition or of a load', async () => {
    const waits = open(new Purgatory<string>('waits', { timer }));
    const condition = ({ key }: { key?: string | undefined }): undefined => {
      if (key !== undefined) throw new Error('no database');
    };
    waits.waitFor(['orders-0'], condition, { ...LONG, label: 'order page' }).catch(() => {});
    const load = (): Promise<never> => Promise.reject(new Error('down'));
    const state = open(
      new SharedWaits<number>('state', { clock: host.clock, load, retry: true, onError: () => {} }),
    );
    state.waitUntil('k', () => undefined, LONG).catch(() => {});
    const [ofWaits, ofState] = [recording(waits), recording(state)];
    waits.notify('orders-0');
    await host.advance(1_000);
    for (const each of [ofWaits, ofState]) each.stop(each);
    expect(ofWaits.seconds[0].purgatories.waits).to.deep.include({
      rejected: 1,
      error: { operation: 'order page', key: 'orders-0', message: 'Error: no database' },
    });
    expect(ofState.seconds[0].purgatories.state.error).to.deep.equal({
      operation: 'a load of 1 key',
      key: 'k',
      message: 'Error: down',
    });
  });
});
