import { expect } from 'chai';
import { LocalHub } from '../../src/bus/index.ts';
import { ManualClock, Purgatory } from '../../src/index.ts';
import { LiveSources, snapshotOf } from '../../src/observe/live-sources.ts';
import { IdleTimeouts } from '../../src/waits/idle/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';

describe('the sources that an observer reads', () => {
  it('are looked at once for the events of each that is not among them', () => {
    const [ours, late, ...others] = ['ours', 'late', 'a', 'b'].map((name) => new Purgatory(name));
    const shown = [ours];
    let looks = 0;
    const purgatories = (): Purgatory[] => {
      looks++;
      return shown;
    };
    const sources = new LiveSources({ purgatories, timers: [], buses: [] });
    for (let i = 0; i < 3; i++) {
      expect([ours, late, ...others].map((each) => sources.nameOf(each))).to.deep.equal([
        'ours',
        undefined,
        undefined,
        undefined,
      ]);
    }
    expect(looks).to.equal(4);
    shown.push(late);
    sources.look();
    expect(sources.nameOf(late)).to.equal('late');
    expect(looks).to.equal(5);
  });

  it('name nothing for an event while they cannot be read, so that it ends no process', () => {
    const purgatories = (): Purgatory[] => (isDown ? expect.fail('no sources') : []);
    let isDown = false;
    const sources = new LiveSources({ purgatories, timers: [], buses: [] });
    isDown = true;
    expect(sources.nameOf(new Purgatory('late'))).to.equal(undefined);
  });

  it('have the buses of their purgatories, and none that a namesake has joined', async () => {
    const hub = new LocalHub();
    const [own, namesakes, feeds, loads] = [hub.bus(), hub.bus(), hub.bus(), hub.bus()];
    const orders = new Purgatory('orders', { bus: own });
    const namesake = new Purgatory('orders', { bus: namesakes });
    const feed = new ThresholdPurgatory('feed', { bus: feeds });
    const waits = new SharedWaits('state', { load: async () => new Map(), bus: loads });
    const alone = new Purgatory('alone');
    const purgatories = [orders, feed, waits, alone];
    const sources = new LiveSources({ purgatories, timers: [], buses: [] });
    expect(sources.look().buses).to.deep.equal([
      ['orders', own],
      ['feed', feeds],
      ['state', loads],
    ]);
    expect(sources.nameOf(namesakes)).to.equal(undefined);
    waits.close();
    await feeds.close();
    expect(sources.look().buses, 'a closed one that a purgatory is on').to.deep.equal([
      ['orders', own],
      ['feed', feeds],
    ]);
    feed.close();
    expect(sources.look().buses).to.deep.equal([['orders', own]]);
    const taken = new LiveSources({ purgatories: [orders], timers: [], buses: { orders: loads } });
    expect(taken.look().buses.map(([name]) => name)).to.deep.equal(['orders', 'purgatory orders']);
    const given = new LiveSources({ purgatories: [orders], timers: [], buses: { main: own, loads } });
    await own.close();
    await loads.close();
    expect(given.look().buses, 'it keeps its name').to.deep.equal([['main', own]]);
    for (const each of [orders, namesake, feed, alone]) each.close();
    await Promise.all([own, namesakes, loads].map((bus) => bus.close()));
  });

  it('are read anew at each look, give up what is closed, and number namesakes while others are open', () => {
    const all = new Set<Purgatory>();
    for (const purgatories of [all, () => all.values()]) {
      const sources = new LiveSources({ purgatories, timers: [], buses: [] }, (name) => name.slice(0, 5));
      const names = (): string[] => sources.look().purgatories.map(([name]) => name);
      expect(names()).to.deep.equal([]);
      const same = [1, 2, 3].map(() => new Purgatory('same name'));
      for (const each of same) all.add(each);
      expect(names()).to.deep.equal(['same ', 'same  (2)', 'same  (3)']);
      same[0].close();
      expect(names()).to.deep.equal(['same  (2)', 'same  (3)']);
      all.add(new Purgatory('same name'));
      expect(names()).to.deep.equal(['same  (2)', 'same  (3)', 'same ']);
      for (const each of all) each.close();
      expect(names()).to.deep.equal([]);
      all.clear();
    }
  });

  it('have Replies and IdleTimeouts among them, in the words of a purgatory', () => {
    const clock = new ManualClock();
    const calls = new Replies<number>('calls', { clock, maxParked: 9 });
    for (const id of [1, 2, 3]) {
      calls.expect(id, { timeoutMs: 1000 * id, label: 'fetch' }).catch(() => {});
    }
    calls.resolve(3, 'yes');
    clock.advance(1000);
    const told = snapshotOf(calls, 5);
    expect(told).to.include({ name: 'calls', parked: 1, expected: 1, watchedKeys: 1, maxParked: 9 });
    expect(told.totals).to.deep.equal({
      parked: 3,
      completed: 1,
      expired: 1,
      cancelled: 0,
      rejected: 0,
      failed: 0,
    });
    expect(told.oldest).to.deep.equal([
      { ageMs: 1000, deadlineMs: 2000, keys: ['2'], type: 'expect', label: 'fetch' },
    ]);
    const sessions = new IdleTimeouts<string>('idle', { timeoutMs: 500, clock, onIdle: () => {} });
    for (const name of ['ann', 'bob', 'eve']) sessions.touch(name);
    clock.advance(300);
    sessions.touch('ann');
    sessions.remove('bob');
    clock.advance(300);
    const idle = snapshotOf(sessions, 5);
    expect(idle).to.include({ name: 'idle', parked: 1, tracked: 1, maxParked: null });
    expect(idle.totals).to.deep.equal({
      parked: 3,
      completed: 0,
      expired: 1,
      cancelled: 1,
      rejected: 0,
      failed: 0,
    });
    expect(idle.oldest).to.deep.equal([{ ageMs: 300, deadlineMs: 1800, keys: ['ann'], type: 'touch' }]);
    const { purgatories, timers } = new LiveSources({
      purgatories: [calls, sessions],
      timers: [],
      buses: [],
    }).look();
    expect(purgatories.map(([name]) => name)).to.deep.equal(['calls', 'idle']);
    expect(timers.map(([name]) => name)).to.deep.equal(['calls', 'idle']); // each its own
    calls.close();
    sessions.close();
  });
});
