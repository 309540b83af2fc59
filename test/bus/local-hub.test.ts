import { expect } from 'chai';
import { LocalHub } from '../../src/bus/index.ts';
import type { HubFaults } from '../../src/bus/transports/local-network.ts';
import { ManualClock } from '../../src/index.ts';
import { codeOf } from '../support/code-of.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { turn, until } from '../support/turns.ts';
import { Rig } from './rig.ts';

/** A rig with two processes that have heard each other; then the faults begin. */
function pair(faults: HubFaults = {}, seed?: number) {
  const rig = new Rig(undefined, seed);
  const [a, b] = [rig.process({ flushMs: 0, echoMs: 1_000 }), rig.process({ flushMs: 0, echoMs: 1_000 })];
  rig.clock.advance(2_000);
  rig.hub.disturb(faults);
  return { rig, hub: rig.hub, a, b, pass: (ms: number) => rig.clock.advance(ms) };
}

describe('The faults of a LocalHub', () => {
  it('lose, double and delay frames', () => {
    for (const [faults, afterMs, heard] of [
      [{ loss: 1 }, 500, []],
      [{ duplication: 1 }, 1, ['k', 'k']],
      [{ delayMs: 20 }, 39, []],
      [{ delayMs: 20 }, 41, ['k']],
    ] as const) {
      const { a, b, pass } = pair(faults);
      a.publish('k');
      pass(afterMs);
      expect(b.listener.heard, JSON.stringify(faults)).to.deep.equal(heard);
    }
  });

  it('keep the order of a connection whatever the jitter, but for what is reordered', async () => {
    const order = async (faults: HubFaults): Promise<string[]> => {
      const { a, b, pass } = pair(faults);
      for (let n = 0; n < 200; n++) {
        if (n < 50) a.publish(`${n}`);
        pass(1);
        await turn();
      }
      return b.listener.heard.map(String);
    };
    const sent = Array.from({ length: 50 }, (_, n) => `${n}`);
    expect(await order({ jitterMs: 30 })).to.deep.equal(sent);
    const reordered = await order({ reordering: 0.5 });
    expect(reordered).to.have.members(sent);
    expect(reordered).to.not.deep.equal(sent);
  });

  it('are, with a seed, the same for what is sent, whatever else is sent', () => {
    const heard = (left?: number): string[] => {
      const { a, b, pass } = pair({ loss: 0.5 }, 1);
      for (let n = 0; n < 40; n++) {
        if (n !== left) a.publish(`${n}`);
        pass(1);
      }
      return b.listener.heard.map(String);
    };
    const all = heard();
    expect(all.length).to.be.within(10, 30);
    for (const left of [0, 3, 7]) expect(heard(left)).to.deep.equal(all.filter((key) => key !== `${left}`));
  });

  it('refuse frames, which is a gap, and the hints are sent again', async () => {
    const { hub, a, b, pass } = pair({ refusal: 1 });
    a.publish('k');
    pass(1);
    expect(a.bus.snapshot().lastGap).to.include({ cause: 'publish', error: 'The engine refuses' });
    hub.disturb({});
    pass(2_000);
    await turn();
    expect(b.listener.heard).to.deep.equal(['k']);
  });

  it('hold what a half-open connection carries, until it is mended', () => {
    for (const way of ['in', 'out', 'both'] as const) {
      for (const reordering of [0, 1]) {
        const { hub, a, b, pass } = pair({ reordering });
        hub.hold(way === 'in' ? b.bus : a.bus, way);
        a.publish('k');
        pass(50);
        expect(b.listener.heard, `${way}, ${reordering}`).to.deep.equal([]);
        hub.mend();
        pass(reordering * 50); // out of order on its way to the other process, too
        expect(b.listener.heard, `${way}, ${reordering}`).to.deep.equal(['k']);
      }
    }
  });

  it('restart the engine, told at once or found out by the echo', () => {
    for (const silent of [false, true]) {
      const { hub, a, b, pass } = pair();
      const { sweeps } = b.listener;
      hub.restart({ silent });
      expect(a.bus.state).to.equal(silent ? 'live' : 'gap');
      a.publish('k');
      pass(7_000);
      expect(b.bus.snapshot()).to.deep.include({ state: 'live' });
      expect(b.bus.snapshot().totals.gaps).to.include(silent ? { echo: 1 } : { connection: 1 });
      expect(b.listener.sweeps, 'all that is parked is tried again').to.be.above(sweeps);
    }
  });

  it('split the engine in halves, of which each hears itself', () => {
    const { hub, a, b, pass } = pair();
    hub.split([b.bus]);
    a.publish('k');
    pass(5_000);
    expect([a.bus.state, b.bus.state, b.listener.heard]).to.deep.equal(['live', 'live', []]);
    hub.mend();
    a.publish('l');
    pass(1);
    expect(b.listener.heard).to.deep.equal(['l']);
    expect(b.bus.snapshot().totals.gaps, 'a number is missing').to.include({ sequence: 1 });
  });

  it('are refused when they are no probability, and nothing has changed then', () => {
    const { hub } = pair();
    expect(codeOf(() => hub.disturb({ loss: 2 }))).to.equal('ERR_OUT_OF_RANGE');
    expect(codeOf(() => hub.disturb({ delayMs: '5' as never }))).to.equal('ERR_INVALID_ARG_TYPE');
    expect(codeOf(() => new LocalHub({ seed: 0.5 }))).to.equal('ERR_OUT_OF_RANGE');
  });
});

describe('A clock that has turns of its own', () => {
  it('holds a process that stands still: what comes for it waits, as do its slices', async () => {
    const time = new ManualClock();
    const turns: (() => void)[] = [];
    const clock = {
      now: () => time.now(),
      wakeAt: (atMs: number, wake: () => void) => time.wakeAt(atMs, wake),
      nextTurn: (go: () => void) => void turns.push(go),
    };
    const hub = new LocalHub({ clock: time });
    const heard: string[] = [];
    const own = hub.bus({ clock });
    own.join({ name: 'n', hinted: (key) => heard.push(key) > 0, sweep: (ended) => ended(0) });
    const other = hub.bus().join({ name: 'n', hinted: () => false, sweep: (ended) => ended(0) });
    expect(own.state).to.equal('connecting');
    for (; turns.length > 0; await turn()) turns.shift()?.();
    expect(own.state).to.equal('live');
    other.publish('k');
    time.advance(5);
    expect(heard).to.deep.equal([]);
    expect(turns).to.have.length(1);
  });

  it('is refused when its nextTurn is no function', () => {
    const clock = Object.assign(new ManualClock(), { nextTurn: 5 as never });
    expect(codeOf(() => new LocalHub({ clock }))).to.equal('ERR_INVALID_ARG_TYPE');
  });

  it('keeps no bus that has closed, and may still be told of one', async () => {
    const hub = new LocalHub({ clock: new ManualClock() });
    const other = hub.bus();
    const gone: WeakRef<object>[] = [];
    for (let i = 0; i < 20; i++) {
      const bus = hub.bus();
      await bus.close();
      hub.mend(bus);
      gone.push(new WeakRef(bus));
    }
    await until(() => {
      collectGarbage();
      // A register or the stack may keep one or two; the hub kept all.
      return gone.filter((each) => each.deref() !== undefined).length <= 3;
    }, 'the closed buses are collected');
    await other.close();
  });
});
