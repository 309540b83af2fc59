import { expect } from 'chai';
import { createBus } from '../../src/bus/bus.ts';
import { type Bus, type BusOptions, unfit } from '../../src/bus/bus-options.ts';
import { frameText, readFrame } from '../../src/bus/frames.ts';
import type { Transport, TransportLink } from '../../src/bus/transport.ts';
import { ManualClock, Purgatory } from '../../src/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { codeOf } from '../support/code-of.ts';
import { Op } from '../support/op.ts';
import { turn } from '../support/turns.ts';
import { Rig } from './rig.ts';

const ECHO_MS = 100;
/** By then each bus has heard all others. */
const KNOWN_MS = 2 * ECHO_MS;

class World extends Rig {
  bus(options?: BusOptions) {
    return this.hub.bus({ routing: 'interest', echoMs: ECHO_MS, ...options });
  }

  routing(options?: BusOptions) {
    const bus = this.bus(options);
    return { bus, purgatory: new Purgatory<string, Op>('orders', { bus, clock: this.clock, sweepMs: 0 }) };
  }

  /** Lets time pass, with the promises of each ms. */
  async pass(ms: number): Promise<void> {
    for (let i = 0; i < ms; i++) {
      this.clock.advance(1);
      await turn();
    }
  }
}

function park(purgatory: Purgatory<string, Op>, key: string): Op {
  const op = new Op(key);
  purgatory.tryCompleteElseWatch(op, [key]);
  return op;
}

/** SharedWaits whose every key has the state 7. */
function sevens({ clock }: World, bus: Bus): SharedWaits<number> {
  const load = async (keys: readonly string[]): Promise<Map<string, number>> =>
    new Map(keys.map((key) => [key, 7]));
  return new SharedWaits('jobs', { bus, clock, load });
}

describe('A bus with interest routing', () => {
  it('carries a hint to the processes where somebody waits, and to no other', async () => {
    const world = new World();
    const [a, b, c] = [world.routing(), world.routing(), world.routing()];
    const op = park(b.purgatory, 'k');
    await world.pass(KNOWN_MS);
    const before = c.bus.snapshot().totals;
    op.ready = true;
    a.purgatory.notify('k');
    await world.pass(2);
    expect(op.isCompleted).to.equal(true);
    expect(c.bus.snapshot().totals).to.include({ received: 0, framesReceived: before.framesReceived });
    expect(a.bus.snapshot().totals).to.include({ routed: 1, broadcast: 0 });
    expect(b.bus.snapshot()).to.include({
      routing: 'interest',
      subscriptions: 1,
      acknowledgementsPending: 0,
    });
  });

  it('tries the keys that were parked before the acknowledgement, once, at the acknowledgement', async () => {
    const world = new World();
    const [a, b] = [world.routing(), world.routing()];
    park(b.purgatory, 'other');
    await world.pass(KNOWN_MS);
    world.hub.hold(b.bus, 'out');
    const op = park(b.purgatory, 'k');
    const { tries } = op;
    await world.pass(1);
    op.ready = true;
    a.purgatory.notify('k'); // passes by before b has subscribed
    await world.pass(3);
    expect(op.isCompleted).to.equal(false);
    expect(b.bus.snapshot().acknowledgementsPending).to.equal(1);
    world.hub.mend(b.bus);
    await world.pass(10);
    expect(op.isCompleted).to.equal(true);
    expect(op.tries).to.equal(tries + 1);
    expect(b.bus.snapshot().totals).to.include({ received: 0, forNobody: 0 });
  });

  it('sends one frame for all when more hints are due than it knows processes', async () => {
    const world = new World();
    const [a, b] = [world.routing(), world.routing()];
    await world.pass(KNOWN_MS);
    const { framesSent } = a.bus.snapshot().totals;
    for (let i = 0; i < 200; i++) a.purgatory.notify(`${i}`);
    await world.pass(2);
    expect(a.bus.snapshot().totals).to.include({ framesSent: framesSent + 1, routed: 0, broadcast: 200 });
    expect(b.bus.snapshot().totals.received).to.equal(200);
  });

  it('leaves a channel lingerMs after its last watcher, and takes it again', async () => {
    const world = new World({ ackDelayMs: 4 });
    const [a, b] = [world.routing(), world.routing({ lingerMs: 300 })];
    await world.pass(KNOWN_MS);
    const brief = park(b.purgatory, 'brief');
    await world.pass(1);
    brief.cancel(); // its SUBSCRIBE is on its way
    park(b.purgatory, 'k').cancel();
    const again = park(b.purgatory, 'k');
    await world.pass(20);
    again.cancel();
    await world.pass(290);
    expect(b.bus.snapshot().subscriptions).to.equal(1);
    expect(b.bus.snapshot().totals.forNobody, 'a key that is gone is not tried').to.equal(0);
    await world.pass(11);
    const op = park(b.purgatory, 'k'); // the UNSUBSCRIBE is on its way
    expect(b.bus.snapshot().subscriptions).to.equal(0);
    op.ready = true;
    a.purgatory.notify('k');
    await world.pass(20);
    expect(op.isCompleted).to.equal(true);
    await world.pass(400);
    expect(b.bus.snapshot().subscriptions).to.equal(0);
    const offsets = new ThresholdPurgatory<string>('offsets', {
      bus: b.bus,
      clock: world.clock,
      current: () => 1,
    });
    offsets.awaitAtLeast('k', 5, { timeoutMs: 10 });
    await world.pass(9);
    expect(b.bus.snapshot().subscriptions).to.equal(1);
    await world.pass(310);
    expect(b.bus.snapshot().subscriptions).to.equal(0);
  });

  it('does not leave a channel whose key is watched again while it lingers', async () => {
    const world = new World({ ackDelayMs: 4 });
    const [a, b] = [world.routing(), world.routing({ lingerMs: 50 })];
    await world.pass(KNOWN_MS);
    const first = park(b.purgatory, 'k');
    await world.pass(5);
    first.cancel();
    await world.pass(40);
    const op = park(b.purgatory, 'k');
    for (let ms = 0; ms < 100; ms++) {
      await world.pass(1);
      expect(b.bus.snapshot().subscriptions).to.equal(1); // also while an UNSUBSCRIBE would be on its way
    }
    op.ready = true;
    a.purgatory.notify('k');
    await world.pass(2);
    expect(op.isCompleted).to.equal(true);
  });

  it('is live after a break only when all its channels are acknowledged', async () => {
    const world = new World({ ackDelayMs: 6 });
    const { bus, purgatory } = world.routing();
    const ops = Array.from({ length: 1_300 }, (_, i) => park(purgatory, `${i}`));
    await world.pass(KNOWN_MS);
    const { subscriptions } = bus.snapshot();
    expect(subscriptions).to.be.within(1_200, 1_300);
    world.hub.cut(bus);
    for (const op of ops) op.ready = true;
    expect(bus.snapshot()).to.include({ state: 'gap', subscriptions: 0 });
    world.hub.mend(bus);
    // Three commands, one after the other: the last of them is under way, too.
    for (let ms = 0; bus.state === 'gap' && ms < 60; ms++) {
      expect(bus.snapshot().acknowledgementsPending, `after ${ms} ms`).to.be.above(0);
      await world.pass(1);
    }
    expect(bus.snapshot()).to.include({ state: 'live', subscriptions });
    await world.pass(20);
    expect(ops.every((op) => op.isCompleted)).to.equal(true);
  });

  it('drops a connection whose acknowledgement never comes, before it is live, too', async () => {
    const world = new World({ ackLoss: 1 });
    const { bus, purgatory } = world.routing({ echoTimeoutMs: 150, maxPauseMs: 50 });
    await world.pass(KNOWN_MS);
    park(purgatory, 'k');
    await world.pass(5);
    expect(bus.state).to.equal('live');
    await world.pass(300);
    const error = 'The engine did not acknowledge a subscription';
    expect(bus.snapshot()).to.deep.include({ state: 'gap', lastError: { message: error, atMs: 400 } });
    await world.pass(200);
    expect(bus.snapshot().lastError?.atMs).to.be.within(550, 650);
  });

  it('broadcasts while a process is known that does not route, and tells it what it may have missed', async () => {
    const world = new World();
    const [a, b] = [world.routing(), world.routing()];
    const near = park(b.purgatory, 'k');
    await world.pass(KNOWN_MS);
    a.purgatory.notify('k');
    await world.pass(2);
    expect(a.bus.snapshot().totals).to.include({ routed: 1, broadcast: 0 });
    const old = world.routing({ routing: 'broadcast' });
    const far = park(old.purgatory, 'k');
    await world.pass(5);
    // It was live before its purgatory joined, so this sweep is for what was routed.
    expect(old.bus.snapshot().totals.sweeps).to.equal(1);
    near.ready = true;
    far.ready = true;
    a.purgatory.notify('k');
    await world.pass(2);
    expect([near.isCompleted, far.isCompleted]).to.deep.equal([true, true]);
    expect(a.bus.snapshot().totals).to.include({ routed: 1, broadcast: 1 });
    const back = park(b.purgatory, 'x');
    back.ready = true;
    old.purgatory.notify('x');
    await world.pass(2);
    expect(back.isCompleted).to.equal(true);
  });

  it('routes by itself once the last process that does not has closed, or was silent for three echoes', async () => {
    for (const isClosed of [true, false]) {
      const world = new World();
      const [a] = [world.routing(), world.routing()];
      const old = world.routing({ routing: 'broadcast' });
      await world.pass(KNOWN_MS);
      const send = async (): Promise<void> => {
        a.purgatory.notify('k');
        await world.pass(2);
      };
      const silent = async (echoes: number): Promise<void> => {
        for (let n = 0; n < echoes; n++) {
          await turn();
          world.clock.advance(ECHO_MS);
        }
      };
      await send();
      expect(a.bus.snapshot().totals).to.include({ routed: 0, broadcast: 1 });
      if (isClosed) await old.bus.close();
      else {
        world.hub.cut(old.bus);
        await silent(2);
        await send();
        expect(a.bus.snapshot().totals).to.include({ routed: 0, broadcast: 2 });
        await silent(2);
      }
      await send();
      expect(a.bus.snapshot().totals).to.include({ routed: 1, broadcast: isClosed ? 1 : 2 });
    }
  });

  it('takes a value that was advanced while nobody waited from current', async () => {
    const world = new World();
    let value = 1;
    const make = () =>
      new ThresholdPurgatory<string>('offsets', {
        bus: world.bus(),
        clock: world.clock,
        current: () => value,
      });
    const [a, b] = [make(), make()];
    await world.pass(KNOWN_MS);
    const first = b.awaitAtLeast('p', 1, { timeoutMs: 60_000 });
    await world.pass(5);
    expect(await first).to.deep.equal({ expired: false, value: 1 });
    value = 10;
    // The channel of `p` is still subscribed, that of `q` never was.
    a.advance('q', 10);
    await world.pass(2);
    const late = ['p', 'q'].map((key) => b.awaitAtLeast(key, 10, { timeoutMs: 60_000 }));
    await world.pass(5);
    expect(await Promise.all(late)).to.deep.equal([
      { expired: false, value: 10 },
      { expired: false, value: 10 },
    ]);
  });

  it('loads a fresh key of SharedWaits once, after the acknowledgement', async () => {
    const world = new World({ ackDelayMs: 8 });
    const bus = world.bus();
    const loadedMs: number[] = [];
    const waits = new SharedWaits<string>('jobs', {
      bus,
      clock: world.clock,
      load: async (keys) => {
        loadedMs.push(world.clock.now());
        return new Map(keys.map((key) => [key, 'done']));
      },
    });
    await world.pass(KNOWN_MS);
    const beganMs = world.clock.now();
    const both = [1, 2].map(() => waits.waitUntil('k', (state) => state, { timeoutMs: 1_000 }));
    await world.pass(5);
    expect(loadedMs).to.deep.equal([]);
    await world.pass(10);
    expect(await Promise.all(both)).to.deep.equal([1, 2].map(() => ({ expired: false, value: 'done' })));
    expect(loadedMs).to.have.length(1);
    expect(loadedMs[0] - beganMs).to.be.within(8, 10);
  });

  it('does not hold the load of a wait with a timeout of 0, which waits for no hint', async () => {
    const world = new World({ ackDelayMs: 400 });
    const waits = sevens(world, world.bus({ echoMs: 10_000 }));
    await world.pass(5);
    const look = waits.waitUntil('k', () => undefined, { timeoutMs: 0 });
    await world.pass(1);
    expect(await look).to.deep.equal({ expired: true, state: 7 });
  });

  it('holds no load over 100 ms when the command before its own is slow', async () => {
    const world = new World({ ackDelayMs: 400 });
    const waits = sevens(world, world.bus({ echoMs: 10_000 }));
    await world.pass(5);
    void waits.waitUntil('before', () => undefined, { timeoutMs: 1_000 });
    await world.pass(1);
    const beganMs = world.clock.now();
    const wait = waits.waitUntil('fresh', (state) => state, { timeoutMs: 1_000 });
    const answeredMs = wait.then(() => world.clock.now());
    await world.pass(200);
    expect((await answeredMs) - beganMs).to.be.within(100, 102);
  });

  it('tries keys behind many commands after 100 ms, and once more at their acknowledgement', async () => {
    const world = new World({ ackDelayMs: 30 });
    const { purgatory } = world.routing({ echoMs: 10_000 });
    await world.pass(35);
    const ops = Array.from({ length: 6 * 512 }, (_, i) => park(purgatory, `${i}`));
    const tried = (): number[] => [...new Set(ops.map(({ tries }) => tries - 1))].sort();
    await world.pass(29);
    expect(tried()).to.deep.equal([0]);
    await world.pass(75); // three batches are acknowledged; the others are tried without it
    expect(tried()).to.deep.equal([1]);
    await world.pass(200);
    expect(tried()).to.deep.equal([1, 2]); // once more at the acknowledgement
  });

  it('loads what it holds when its connection breaks', async () => {
    const world = new World({ ackDelayMs: 50 });
    const bus = world.bus({ echoMs: 10_000 });
    const waits = sevens(world, bus);
    await world.pass(5);
    const wait = waits.waitUntil('k', (state) => state, { timeoutMs: 1_000 });
    await world.pass(5);
    world.hub.cut(bus);
    await world.pass(5);
    expect(await wait).to.deep.equal({ expired: false, value: 7 });
  });

  it('tries again after settleMs over an engine whose acknowledgement is that of one server', async () => {
    const clock = new ManualClock();
    let link: TransportLink | undefined;
    const transport: Transport = {
      engine: 'several servers',
      settleMs: [50, 500],
      connect: (given) => {
        link = given;
        given.up();
      },
      publish: (text) => void link?.received(text),
      publishTo: () => undefined,
      subscribe: () => undefined,
      unsubscribe: () => undefined,
      disconnect: () => undefined,
    };
    const bus = createBus(transport, { routing: 'interest', clock });
    const purgatory = new Purgatory<string, Op>('orders', { bus, clock, sweepMs: 0 });
    clock.advance(10);
    const op = park(purgatory, 'k');
    const tries: number[] = [];
    for (const ms of [10, 30, 20, 430, 20, 1_000]) {
      await turn();
      clock.advance(ms);
      tries.push(op.tries);
    }
    expect(tries).to.deep.equal([2, 2, 3, 3, 4, 4]);
    await bus.close();
  });

  it('makes good what was routed on another server of a split engine, once its process is back', async () => {
    const world = new World();
    const [a, b] = [world.routing(), world.routing()];
    const op = park(b.purgatory, 'k');
    await world.pass(KNOWN_MS);
    world.hub.cut(b.bus);
    world.hub.split([a.bus]);
    await world.pass(1);
    world.hub.mend(b.bus);
    await world.pass(1);
    op.ready = true;
    a.purgatory.notify('k');
    await world.pass(2);
    expect(a.bus.snapshot().totals.routed, 'it went to its channel').to.equal(1);
    expect(op.isCompleted).to.equal(false);
    world.hub.cut(a.bus);
    world.hub.mend();
    await world.pass(KNOWN_MS);
    expect(op.isCompleted).to.equal(true);
  });

  it('sends "try everything" for what it has routed when its engine turns out to be unfit', async () => {
    const clock = new ManualClock();
    let link!: TransportLink;
    let isFit = true;
    const sent: string[] = [];
    const transport: Transport = {
      engine: 'a node',
      connect: (given) => {
        link = given;
        given.up();
      },
      publish: (text) => {
        sent.push(text);
        link.received(text);
        return undefined;
      },
      publishTo: () => undefined,
      subscribe: () => undefined,
      unsubscribe: () => undefined,
      check: () => (isFit ? undefined : Promise.reject(unfit('It was removed'))),
      disconnect: () => undefined,
    };
    const bus = createBus(transport, { routing: 'interest', clock, echoMs: ECHO_MS, onError: () => {} });
    const purgatory = new Purgatory<string, Op>('orders', { bus, clock, sweepMs: 0 });
    for (let number = 1; number < 4; number++) {
      clock.advance(ECHO_MS);
      link.received(frameText('', 'another', { number, previous: undefined }, 'interest'));
      await turn();
    }
    purgatory.notify('k');
    clock.advance(5);
    await turn();
    expect(bus.snapshot().totals.routed).to.equal(1);
    isFit = false;
    clock.advance(ECHO_MS);
    await turn();
    expect(bus.state).to.equal('gap');
    expect(sent.flatMap((text) => readFrame(text).all)).to.deep.equal([]);
    clock.advance(ECHO_MS);
    await turn();
    expect(sent.flatMap((text) => readFrame(text).all)).to.deep.equal(['orders']);
    await bus.close();
  });

  it('is refused for an engine that cannot route, and with a ThresholdPurgatory without current', () => {
    const transport = {
      engine: 'carrier pigeons',
      connect: () => {},
      publish: () => undefined,
      disconnect: () => undefined,
    };
    expect(() => createBus(transport, { routing: 'interest' })).to.throw(TypeError, /over carrier pigeons/);
    expect(codeOf(() => createBus(transport, { routing: 'all' as never }))).to.equal('ERR_INVALID_ARG_VALUE');
    expect(codeOf(() => createBus(transport, { lingerMs: -1 }))).to.equal('ERR_OUT_OF_RANGE');
    const bus = new World().bus();
    const make = () => new ThresholdPurgatory('offsets', { bus });
    expect(make).to.throw(TypeError, /options.current/);
    expect(bus.snapshot().members).to.deep.equal([]);
  });
});
