import { expect } from 'chai';
import { createBus } from '../../src/bus/bus.ts';
import type { Bus } from '../../src/bus/bus-options.ts';
import { FrameBody, frameText, type PreviousFrame } from '../../src/bus/frames.ts';
import { Purgatory, SystemTimer } from '../../src/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { codeOf } from '../support/code-of.ts';
import { Op, type OpOptions } from '../support/op.ts';
import { codeOfRejection } from '../support/rejection.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { LoggingOperation } from '../support/threshold-op.ts';
import { turn } from '../support/turns.ts';
import { HeldSender } from './held-sender.ts';
import { Listener, Puppet, Rig } from './rig.ts';

class World extends Rig {
  readonly state = new Map<string, number>();

  readonly bus = (): Bus => this.hub.bus();
}

const world = (): World => new World();

describe('a Purgatory on a bus', () => {
  const park = (purgatory: Purgatory<string, Op>, key: string, options?: OpOptions): Op => {
    const op = new Op(key, options);
    purgatory.tryCompleteElseWatch(op, [key]);
    return op;
  };

  it('is told of a notify in any other process after flushMs, and of its own at once', async () => {
    const { clock, bus } = world();
    const [a, b] = [bus(), bus()].map((one) => new Purgatory<string, Op>('orders', { bus: one, clock }));
    const [here, there] = [park(a, 'k'), park(b, 'k')];
    there.ready = true;
    a.checkAndComplete('k');
    clock.advance(10);
    expect(there.isCompleted, 'that is for its own process').to.equal(false);
    here.ready = true;
    a.notify('k');
    expect([here.isCompleted, there.isCompleted]).to.deep.equal([false, false]);
    await turn();
    expect([here.isCompleted, there.isCompleted], 'without the engine').to.deep.equal([true, false]);
    clock.advance(1);
    expect(there.isCompleted).to.equal(true);
  });

  it('tries all that is parked, over sweepMs, when its bus is live again', () => {
    const { clock, hub, bus } = world();
    const one = bus();
    const purgatory = new Purgatory<string, Op>('orders', { bus: one, clock, sweepMs: 500 });
    const ops = Array.from({ length: 1_000 }, (_, i) => park(purgatory, `${i}`));
    hub.cut(one);
    for (const op of ops) op.ready = true;
    clock.advance(5_000);
    hub.mend(one);
    clock.advance(200);
    const early = ops.filter((op) => op.isCompleted).length;
    expect(early).to.be.within(300, 500);
    clock.advance(310);
    expect(purgatory.numDelayed).to.equal(0);
    expect(one.snapshot().lastSweep).to.include({ tried: 1_000 });
  });

  it('refuses keys that no bus carries, before anything has changed', async () => {
    const { clock, bus } = world();
    const purgatory = new Purgatory<unknown, Op>('orders', { bus: bus(), clock });
    for (const [key, code] of [
      [1, 'ERR_INVALID_ARG_TYPE'],
      [undefined, 'ERR_INVALID_ARG_TYPE'],
      [{}, 'ERR_INVALID_ARG_TYPE'],
      ['x'.repeat(1_025), 'ERR_INVALID_ARG_VALUE'],
    ]) {
      expect(codeOf(() => purgatory.notify(key))).to.equal(code);
      const op = new Op('op');
      expect(codeOf(() => purgatory.tryCompleteElseWatch(op, ['k', key]))).to.equal(code);
      expect(op.tries).to.equal(0);
      expect(await codeOfRejection(purgatory.waitFor([key], () => 1, { timeoutMs: 1 }))).to.equal(code);
    }
    expect(purgatory.numDelayed).to.equal(0);
  });

  it('refuses a bad bus, a bad sweepMs, and a name that has joined', () => {
    const { clock, bus } = world();
    expect(codeOf(() => new Purgatory('x', { bus: {} as never }))).to.equal('ERR_INVALID_ARG_TYPE');
    expect(codeOf(() => new Purgatory('x', { sweepMs: -1 }))).to.equal('ERR_OUT_OF_RANGE');
    const one = bus();
    const first = new Purgatory('x', { bus: one, clock });
    expect(codeOf(() => new Purgatory('x', { bus: one }))).to.equal('ERR_PURGATORY_ALREADY_JOINED');
    expect(codeOf(() => new ThresholdPurgatory('x', { bus: one }))).to.equal('ERR_PURGATORY_ALREADY_JOINED');
    first.close();
    new Purgatory('x', { bus: one, clock });
  });

  it('leaves its bus when it closes: nothing is heard, and nothing swept', () => {
    const { clock, hub, bus } = world();
    const one = bus();
    const timer = new SystemTimer({ clock });
    const purgatory = new Purgatory<string, Op>('orders', { bus: one, timer });
    const ops = Array.from({ length: 100 }, (_, i) => park(purgatory, `${i}`));
    hub.cut(one);
    hub.mend(one);
    clock.advance(500);
    const tries = ops.reduce((sum, op) => sum + op.tries, 0);
    expect(purgatory.close()).to.have.length(100);
    purgatory.notify('1');
    clock.advance(5_000);
    expect(ops.reduce((sum, op) => sum + op.tries, 0)).to.equal(tries);
    expect(one.snapshot().members).to.deep.equal([]);
    expect(one.snapshot().lastSweep?.endedMs).not.to.equal(null);
  });

  it('answers by a hint that came before the deadline of its wait, in the turn of that deadline', async () => {
    const clock = new SlowClock();
    const engine = new Puppet();
    const bus = createBus(engine, { clock });
    const purgatory = new Purgatory<string>('orders', { bus, clock });
    let parcel: string | undefined;
    const shipped = purgatory.waitFor(['k'], () => parcel, { timeoutMs: 10 });
    await turn();
    parcel = 'parcel';
    engine.link.received(frameText(',"h":{"orders":["k"]}'));
    clock.advance(20);
    expect(await shipped).to.deep.equal({ expired: false, value: 'parcel' });
    purgatory.close();
  });
});

describe('a ThresholdPurgatory on a bus', () => {
  it('keeps its value when one of before comes late, from a connection that hung', () => {
    const { clock, hub, bus } = world();
    const offsets = new ThresholdPurgatory('offsets', { bus: bus(), clock });
    const come = (number: number, value: number, previous?: PreviousFrame): void => {
      const body = new FrameBody(7_500);
      body.add('offsets', 'k', value);
      hub.$publish(frameText(body.text(), 'other', { number, previous }));
    };
    come(1, 1);
    come(3, 3, { number: 1, ageMs: 0 }); // what 2 had is said again
    come(2, 2);
    expect(offsets.get('k')).to.equal(3);
    come(4, 2);
    expect(offsets.get('k'), 'a log may be truncated').to.equal(2);
  });

  const make = (
    { clock }: World,
    bus: Bus,
    options: object = {},
  ): ThresholdPurgatory<string, number | bigint> =>
    new ThresholdPurgatory('offsets', { bus, clock, ...options });
  /** A purgatory whose `current` reads the state of the world, and the keys that it was asked for. */
  const asking = (w: World, bus: Bus): { purgatory: ReturnType<typeof make>; asked: string[] } => {
    const asked: string[] = [];
    const current = async (key: string): Promise<number | undefined> => {
      asked.push(key);
      return w.state.get(key);
    };
    return { purgatory: make(w, bus, { current }), asked };
  };

  it('refuses a bigint of more than 40 digits before anything changes', () => {
    const w = world();
    const purgatory = make(w, w.bus());
    expect(codeOf(() => purgatory.advance('k', 10n ** 40n))).to.equal('ERR_OUT_OF_RANGE');
    expect(codeOf(() => purgatory.advance('k', -(10n ** 20_000n)))).to.equal('ERR_OUT_OF_RANGE');
    expect(purgatory.get('k')).to.equal(undefined);
    purgatory.advance('k', 10n ** 40n - 1n);
    expect(new ThresholdPurgatory<string, bigint>('alone').advance('k', 10n ** 20_000n)).to.equal(0);
  });

  it('carries the longest hint in a frame of the smallest size, and refuses a longer one', () => {
    const control = '\u0001';
    const key = control.repeat(848) + 'k'.repeat(30);
    const sender = new HeldSender(7_500);
    sender.publish(new Listener(control.repeat(128)), key, 1n - 10n ** 40n);
    expect(sender.send().hints).to.have.length(1);
    const w = world();
    const purgatory = make(w, w.bus());
    expect(purgatory.advance(key, 1)).to.equal(0);
    for (const tooLong of [`${key}k`, control.repeat(1_024), 'k'.repeat(1_025)])
      expect(codeOf(() => purgatory.advance(tooLong, 1))).to.equal('ERR_INVALID_ARG_VALUE');
  });

  it('advances in all processes, and remembers there', async () => {
    const w = world();
    const [a, b] = [make(w, w.bus()), make(w, w.bus())];
    const wait = b.awaitAtLeast('p', 5, { timeoutMs: 1_000 });
    const op = new LoggingOperation('op', 1_000, []);
    b.tryCompleteElseWatch(op, [['p', 9n]]);
    expect(a.advance('p', 7)).to.equal(0);
    w.clock.advance(1);
    expect(await wait).to.deep.equal({ expired: false, value: 7 });
    expect(b.get('p')).to.equal(7);
    a.advance('p', 10n);
    w.clock.advance(1);
    expect(op.isCompleted).to.equal(true);
    a.advance('p', 3);
    w.clock.advance(1);
    expect(b.get('p'), 'set back').to.equal(3);
  });

  it('refuses keys that no bus carries, before anything has changed', async () => {
    const w = world();
    const purgatory = make(w, w.bus());
    const key = 1 as never;
    expect(codeOf(() => purgatory.advance(key, 1))).to.equal('ERR_INVALID_ARG_TYPE');
    expect(
      codeOf(() => purgatory.tryCompleteElseWatch(new LoggingOperation('op', 1_000, []), [[key, 1]])),
    ).to.equal('ERR_INVALID_ARG_TYPE');
    const wait = purgatory.awaitAtLeast(key, 1, { timeoutMs: 1 });
    expect(await codeOfRejection(wait)).to.equal('ERR_INVALID_ARG_TYPE');
    expect(purgatory.get(key)).to.equal(undefined);
    expect(codeOf(() => make(w, w.bus(), { current: 1 }))).to.equal('ERR_INVALID_ARG_TYPE');
  });

  it('asks current for each watched key at each sweep, and for a hint without a value', async () => {
    const w = world();
    const bus = w.bus();
    const { purgatory, asked } = asking(w, bus);
    const waits = ['p', 'q', 'r'].map((key) => purgatory.awaitAtLeast(key, 5, { timeoutMs: 60_000 }));
    purgatory.advance('unwatched', 1);
    for (const key of ['p', 'q']) w.state.set(key, 6);
    w.hub.cut(bus);
    w.hub.mend(bus);
    w.clock.advance(1_100);
    expect(asked.sort()).to.deep.equal(['p', 'q', 'r']);
    expect(await Promise.all(waits.slice(0, 2))).to.deep.equal([
      { expired: false, value: 6 },
      { expired: false, value: 6 },
    ]);
    expect(purgatory.numDelayed).to.equal(1);
    w.state.set('r', 8);
    const other = w.bus();
    const { publish } = other.join({ name: 'offsets', hinted: () => false, sweep: (ended) => ended(0) });
    publish('r');
    w.clock.advance(1);
    expect(await waits[2]).to.deep.equal({ expired: false, value: 8 });
  });

  it('asks current for a key that nobody watched in a gap, once somebody waits, and once only', async () => {
    const w = world();
    const bus = w.bus();
    const { purgatory, asked } = asking(w, bus);
    purgatory.advance('p', 3);
    w.clock.advance(1_100);
    w.hub.cut(bus);
    w.state.set('p', 5); // an advance of another process is lost
    w.hub.mend(bus);
    w.clock.advance(1_100);
    expect(asked).to.deep.equal([]);
    const wait = purgatory.awaitAtLeast('p', 5, { timeoutMs: 60_000 });
    expect(await wait).to.deep.equal({ expired: false, value: 5 });
    const next = purgatory.awaitAtLeast('p', 6, { timeoutMs: 60_000 });
    expect(asked).to.deep.equal(['p']);
    purgatory.advance('p', 6);
    expect(await next).to.deep.equal({ expired: false, value: 6 });
  });

  it('asks current again, when somebody waits, for what it answers of the time before a gap', async () => {
    const w = world();
    const bus = w.bus();
    const answers: ((value: number) => void)[] = [];
    const current = (): Promise<number> => new Promise((resolve) => answers.push(resolve));
    const purgatory = make(w, bus, { current });
    const expired = purgatory.awaitAtLeast('p', 5, { timeoutMs: 10 });
    w.clock.advance(10);
    expect(await expired).to.deep.equal({ expired: true });
    w.hub.cut(bus);
    w.hub.mend(bus);
    w.clock.advance(1_100);
    answers[0](3); // it was read before the gap
    await turn();
    const wait = purgatory.awaitAtLeast('p', 5, { timeoutMs: 60_000 });
    await turn();
    expect(answers).to.have.length(2);
    answers[1](5);
    expect(await wait).to.deep.equal({ expired: false, value: 5 });
  });
});
