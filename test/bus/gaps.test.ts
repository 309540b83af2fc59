import { expect } from 'chai';
import { readFrame } from '../../src/bus/frames.ts';
import { createBus, refusal } from '../../src/bus/index.ts';
import { ManualClock } from '../../src/clock/manual-clock.ts';
import { codeOfRejection, rejection } from '../support/rejection.ts';
import { turn } from '../support/turns.ts';
import { Listener, Puppet, Rig } from './rig.ts';

describe('a bus in a gap', () => {
  it('tries everything each time it becomes live', () => {
    const rig = new Rig();
    const { bus, listener } = rig.process();
    expect([bus.state, listener.sweeps]).to.deep.equal(['live', 0]);
    for (let gap = 1; gap <= 3; gap++) {
      rig.hub.cut(bus);
      expect([bus.state, listener.sweeps]).to.deep.equal(['gap', gap - 1]);
      rig.clock.advance(1_234);
      rig.hub.mend(bus);
      expect([bus.state, listener.sweeps]).to.deep.equal(['live', gap]);
    }
    listener.endSweep(12);
    const { lastGap, lastSweep, totals } = bus.snapshot();
    expect(lastGap).to.include({ cause: 'connection', beganMs: 2 * 1_234, endedMs: 3 * 1_234 });
    expect(lastSweep).to.include({ tried: 12 });
    expect(totals.gaps.connection).to.equal(3);
    expect(totals.gapMs.connection).to.equal(3 * 1_234);
    expect(totals).to.include({ sweeps: 3, swept: 12 });
  });

  it('lets a flush have a deadline and a signal, and keeps nothing of it then', async () => {
    const rig = new Rig();
    const [a, b] = [rig.process(), rig.process()];
    rig.hub.cut(a.bus);
    a.publish('kept');
    const first = a.bus.flush({ timeoutMs: 100 });
    rig.clock.advance(100);
    expect(await first).to.deep.equal({ expired: true });
    const reason = new Error('given up');
    const controller = new AbortController();
    const aborted = rejection(a.bus.flush({ signal: controller.signal }));
    controller.abort(reason);
    expect(await aborted).to.equal(reason);
    expect(await codeOfRejection(a.bus.flush({ timeoutMs: 'soon' as never }))).to.equal(
      'ERR_INVALID_ARG_TYPE',
    );
    const last = a.bus.flush({ timeoutMs: 100 });
    rig.hub.mend(a.bus);
    expect(await last).to.deep.equal({ expired: false });
    expect(b.listener.heard).to.deep.equal(['kept']);
    expect(await a.bus.flush()).to.deep.equal({ expired: false });
  });

  it('sends one echo an echoMs when idle', () => {
    const rig = new Rig();
    const { bus } = rig.process({ echoMs: 500 });
    const { framesSent } = bus.snapshot().totals;
    rig.clock.advance(60_000);
    expect(bus.snapshot().totals.framesSent).to.equal(framesSent + 120);
  });

  it('notices a frame that was lost soon after it became live, by one more sweep', () => {
    const rig = new Rig();
    const a = rig.process({ echoMs: 1_000 });
    rig.clock.advance(10_000);
    const b = rig.process({ echoMs: 1_000 });
    rig.hub.cut(b.bus);
    rig.hub.mend(b.bus);
    const { sweeps } = b.listener;
    rig.hub.mute(b.bus); // one frame is lost, before anything was heard of its process
    a.publish('lost');
    rig.clock.advance(1);
    rig.hub.mend(b.bus);
    rig.clock.advance(1_300);
    expect(b.listener.sweeps).to.equal(sweeps + 1);
    rig.clock.advance(10_000);
    expect(b.listener.sweeps, 'once').to.equal(sweeps + 1);
    expect(b.bus.snapshot().totals.gaps.sequence).to.equal(0);
  });

  it('sweeps no second time for what was heard before a gap, nor within one', () => {
    const rig = new Rig();
    const a = rig.process({ echoMs: 1_000 });
    rig.clock.advance(10_000);
    const b = rig.process({ echoMs: 1_000 });
    a.publish('heard');
    rig.clock.advance(1);
    rig.hub.cut(a.bus);
    rig.hub.cut(b.bus);
    const { sweeps } = b.listener;
    rig.clock.advance(10_000);
    expect(b.listener.sweeps).to.equal(sweeps);
    rig.hub.mend(b.bus);
    rig.clock.advance(10_000);
    expect([b.bus.state, b.listener.sweeps]).to.deep.equal(['live', sweeps + 1]);
  });

  it('notices hints that went to another server of a split engine, unless they are older than it is live', () => {
    for (const isLost of [true, false]) {
      const rig = new Rig();
      const [minority, majority] = [rig.process({ echoMs: 100_000 }), rig.process({ echoMs: 100_000 })];
      if (!isLost) minority.publish('1'); // both hear it
      rig.clock.advance(1);
      rig.hub.cut(majority.bus);
      rig.hub.split([minority.bus]);
      rig.clock.advance(2_000);
      rig.hub.mend(majority.bus);
      if (isLost) minority.publish('1');
      rig.clock.advance(200_000);
      const { sweeps } = majority.listener;
      rig.hub.cut(minority.bus);
      rig.clock.advance(2_000);
      rig.hub.mend();
      rig.clock.advance(100_000);
      expect(majority.listener.sweeps - sweeps).to.equal(isLost ? 1 : 0);
      expect(majority.bus.snapshot().totals.gaps.sequence).to.equal(isLost ? 1 : 0);
      expect(majority.bus.state).to.equal('live');
    }
  });

  it('tells an error once a gap', () => {
    const rig = new Rig();
    const { bus, errors } = rig.process();
    rig.hub.cut(bus);
    rig.clock.advance(30_000);
    expect(errors.map((error) => (error as Error).message)).to.deep.equal([
      'The bus was cut off its hub (a bus over local, prefix "purgatory")',
      'The bus is cut off its hub (a bus over local, prefix "purgatory")',
    ]);
  });
});

describe('a bus and its transport', () => {
  const make = (options = {}) => {
    const engine = new Puppet();
    const clock = new ManualClock();
    const errors: (Error & { code?: string })[] = [];
    const onError = (error: unknown): void => void errors.push(error as Error);
    const bus = createBus(engine, { clock, onError, ...options });
    return { engine, clock, bus, errors };
  };
  /** A bus that is live, and what its member publishes by. */
  const makeLive = (options = {}) => {
    const made = make(options);
    const { publish } = made.bus.join(new Listener('orders'));
    made.engine.goLive();
    return { ...made, publish };
  };

  it('is live only when an echo that followed the acknowledgement is back', () => {
    const { engine, bus } = make();
    expect([bus.state, engine.sent.length]).to.deep.equal(['connecting', 0]);
    engine.link.up();
    expect([bus.state, engine.sent.length]).to.deep.equal(['connecting', 1]);
    engine.link.received(engine.sent[0].text.replace(/"n":\d+/, '"n":999'));
    expect(bus.state).to.equal('connecting');
    engine.link.received(engine.sent[0].text);
    expect(bus.state).to.equal('live');
  });

  it('sends one frame at a time, and merges what comes meanwhile', async () => {
    const { engine, clock, bus, publish } = makeLive();
    publish('1');
    clock.advance(1);
    for (const key of ['2', '3', '2']) publish(key);
    clock.advance(10);
    expect(engine.sent).to.have.length(2);
    engine.sent[1].resolve();
    await turn();
    clock.advance(1);
    expect(engine.sent).to.have.length(3);
    expect(engine.sent[2].text).to.contain('"h":{"orders":["2","3"]}');
    publish('4');
    void bus.flush(); // then it goes out as soon as it may
    engine.sent[2].resolve();
    await turn();
    expect(engine.sent[3]?.text).to.contain('"h":{"orders":["4"]}');
  });

  it('sends again what the engine did not take, but for keys that were published since', async () => {
    const { engine, clock, bus, errors, publish } = makeLive();
    publish('1', 1);
    publish('2', 2);
    clock.advance(1);
    publish('1', 11);
    engine.sent[1].reject(new Error('READONLY'));
    await turn();
    expect(bus.state).to.equal('gap');
    expect(errors).to.have.length(1);
    expect(bus.snapshot().totals.gaps.publish).to.equal(1);
    clock.advance(100);
    expect(engine.connects).to.equal(2);
    engine.goLive();
    await turn();
    expect(engine.sent.at(-1)?.text).to.contain('"h":{"orders":[["1",11],["2",2]]}');
  });

  it('gives up an engine that echoes but never confirms a frame, and drops nothing: that is no refusal', () => {
    const { engine, clock, bus, errors } = make({ echoMs: 100, echoTimeoutMs: 200 });
    bus.join(new Listener('orders')).publish('1');
    for (let attempt = 0; attempt < 5; attempt++) {
      engine.goLive();
      expect(engine.sent.at(-1)?.text).to.contain('"h":{"orders":["1"]}');
      for (let echo = 0; echo < 5 && bus.state === 'live'; echo++) {
        clock.advance(100);
        engine.echo();
      }
      expect(bus.state).to.equal('gap');
      expect(bus.snapshot()).to.deep.include({ pendingKeys: 1 });
      clock.advance(100);
    }
    const noConfirm = 'PurgatoryError [ERR_PURGATORY_BUS_GAP]: The engine did not confirm a frame';
    expect(errors.map((error) => String(error).split(' (')[0])).to.deep.equal(Array(5).fill(noConfirm));
    expect(bus.snapshot().totals.gaps).to.include({ connection: 5, publish: 0 });
  });

  it('connects again for ever, and not for a link of the past; the pauses grow with the time away', () => {
    const { engine, clock, bus } = make({ maxPauseMs: 5_000 });
    let longestMs = 0;
    for (let attempt = 1; attempt <= 90; attempt++) {
      expect(engine.connects).to.equal(attempt);
      const { link } = engine;
      link.down(new Error('refused'));
      link.down(new Error('again'));
      const downMs = clock.now();
      const mostMs = Math.min(5_000, Math.max(1_000, (downMs - 30_000) * 0.125));
      while (engine.connects === attempt) clock.advance(1);
      longestMs = clock.now() - downMs;
      expect(longestMs).to.be.at.most(mostMs + 1);
      link.up();
      link.received('{}');
    }
    expect([bus.state, longestMs]).to.deep.equal(['connecting', 5_000]);
    engine.goLive();
    engine.link.down(new Error('broken'));
    clock.advance(64);
    expect(engine.connects, 'short again').to.equal(92);
  });

  /** Refuses what was sent last, and lets the bus become live again. Returns the pause, in ms. */
  const refuse = async ({ engine, clock, bus }: ReturnType<typeof make>): Promise<number> => {
    engine.sent.at(-1)?.reject(new Error('no such character'));
    await turn();
    expect(bus.state).to.equal('gap');
    const { connects } = engine;
    const goneMs = clock.now();
    while (engine.connects === connects) clock.advance(1);
    engine.goLive();
    await turn();
    return clock.now() - goneMs;
  };

  it('tries a batch that was refused twice as "try everything", and reports it once if that is refused', async () => {
    const made = make({ maxPauseMs: 60_000 });
    const { engine, bus, errors } = made;
    const orders = bus.join(new Listener('orders'));
    const jobs = bus.join(new Listener('jobs'));
    engine.goLive();
    orders.publish('bad', 1);
    const flushed = bus.flush();
    const bodies: string[] = [];
    const pauses: number[] = [];
    for (let refused = 0; refused < 3; refused++) {
      const sent = engine.sent.at(-1)?.text as string;
      bodies.push(sent.replace(/"n":\d+,?|"p":\[\d+,\d+\],?/g, ''));
      if (refused === 1) jobs.publish('later');
      pauses.push(await refuse(made));
    }
    expect(bodies[0]).to.contain('"orders":[["bad",1]]');
    expect(bodies[1]).to.equal(bodies[0]);
    expect(bodies[2]).to.contain('"all":["orders"]').and.not.to.contain('later');
    expect(errors.map((error) => error.code)).to.deep.equal([
      'ERR_PURGATORY_BUS_GAP',
      'ERR_PURGATORY_BUS_GAP',
      'ERR_PURGATORY_HINTS_LOST',
      'ERR_PURGATORY_BUS_GAP',
    ]);
    expect(errors[2].message).to.contain('"orders"').and.to.contain('no such character');
    for (let i = 1; i < 3; i++) expect(pauses[i]).to.be.within(pauses[0] * 1.5 * i, 65 * 2 ** i);
    expect(engine.sent.at(-1)?.text, 'the others go on').to.contain('"h":{"jobs":["later"]}');
    engine.sent.at(-1)?.resolve();
    await flushed;
    expect(bus.snapshot().pendingKeys).to.equal(0);
  });

  it('says after a break which number the engine took last, in the first frame alone', async () => {
    const { engine, clock, publish } = makeLive();
    publish('taken');
    clock.advance(1);
    engine.sent.at(-1)?.resolve();
    await turn();
    publish('lost');
    clock.advance(1);
    engine.link.down(new Error('broken'));
    clock.advance(1_001);
    const before = engine.sent.length;
    engine.goLive();
    await turn();
    const after = engine.sent.slice(before).map(({ text }) => readFrame(text));
    expect(after.map(({ number, previous }) => [number, previous])).to.deep.equal([
      [4, { number: 2, ageMs: 1_002 }],
      [5, undefined],
    ]);
    expect(after[1].hints.map(({ key }) => key)).to.deep.equal(['lost']);
  });

  it('says after a silence which hints were before, in the first frame alone', () => {
    const { engine, clock } = make({ echoMs: 1_000, echoTimeoutMs: 30_000 });
    engine.link.up();
    clock.advance(1_251); // its echo is long under way, as that of a process that was stopped
    for (let echo = 1; echo <= 3; echo++) {
      engine.echo();
      clock.advance(echo === 1 ? 0 : 1_000);
    }
    const frames = engine.sent.map(({ text }) => readFrame(text));
    expect(frames.map(({ number, previous }) => [number, previous])).to.deep.equal([
      [1, undefined],
      [2, { number: 0, ageMs: 1_251 }],
      [3, undefined],
      [4, undefined],
    ]);
  });

  it('does not add up refusals between which the engine took a batch', async () => {
    const made = makeLive();
    const { engine, clock, publish } = made;
    for (let key = 0; key < 4; key++) {
      publish(`${key}`);
      clock.advance(1);
      await refuse(made);
      expect(engine.sent.at(-1)?.text).to.contain(`"h":{"orders":["${key}"]}`);
      engine.sent.at(-1)?.resolve();
      await turn();
    }
  });

  it('drops a refused name alone, and only where the engine refuses it', async () => {
    const made = make();
    const { engine, clock, bus, errors } = made;
    const members = ['bad', 'good'].map((name) => bus.join(new Listener(name)));
    engine.goLive();
    for (const { publish } of members) publish('1');
    clock.advance(1);
    await refuse(made);
    await refuse(made);
    expect(readFrame(engine.sent.at(-1)?.text as string).all).to.deep.equal(['bad']);
    engine.link.down(new Error('broken')); // that is no refusal
    clock.advance(1_001);
    engine.goLive();
    await turn();
    const alone: string[] = [];
    for (let left = 2; left > 0; left--) {
      const { all } = readFrame(engine.sent.at(-1)?.text as string);
      alone.push(...all);
      expect(all).to.have.length(1);
      if (all[0] === 'bad') await refuse(made);
      else {
        engine.sent.at(-1)?.resolve();
        await turn();
        clock.advance(1);
      }
    }
    expect(alone.sort()).to.deep.equal(['bad', 'good']);
    const lost = errors.filter((error) => error.code === 'ERR_PURGATORY_HINTS_LOST');
    expect(lost.map(String)).to.have.length(1);
    expect(String(lost)).to.contain('"bad"').and.not.to.contain('"good"');
  });

  it('settles flush when all that was left was dropped, and pauses shortly again after an echo', async () => {
    const made = make({ maxPauseMs: 60_000 });
    const { engine, clock, bus } = made;
    const orders = bus.join(new Listener('orders'));
    orders.publish('bad');
    engine.goLive();
    let isFlushed = false;
    void bus.flush().then(() => {
      isFlushed = true;
    });
    for (let refused = 0; refused < 3; refused++) {
      expect(isFlushed).to.equal(false);
      await refuse(made);
    }
    expect(isFlushed).to.equal(true);
    clock.advance(5_000);
    engine.echo();
    orders.publish('bad again');
    clock.advance(1);
    expect(await refuse(made)).to.be.at.most(64); // of the clock: 50 and a quarter
    expect(engine.sent.at(-1)?.text, 'refused once').to.contain('"h":{"orders":["bad again"]}');
  });

  it('gives up a connection that is never acknowledged', () => {
    const { engine, clock } = make();
    clock.advance(17_000);
    expect(engine.connects).to.equal(2);
  });

  it('sends what is pending when it is closed, though it was never live', async () => {
    const { engine, bus, errors } = make();
    bus.join(new Listener('orders')).publish('1');
    let isClosed = false;
    const closed = bus.close().then(() => {
      isClosed = true;
    });
    expect(bus.state).to.equal('closed');
    await turn();
    engine.goLive();
    await turn();
    expect(engine.sent.at(-1)?.text).to.contain('"h":{"orders":["1"]}');
    expect(isClosed).to.equal(false);
    engine.sent.at(-1)?.resolve();
    await closed;
    expect(errors).to.deep.equal([]);
  });

  it('reports what it could not send until it was closed, and waits no longer than echoTimeoutMs', async () => {
    const { engine, clock, bus, errors } = make({ echoTimeoutMs: 200 });
    engine.goLive();
    const { publish } = bus.join(new Listener('orders'));
    for (const fault of ['under way', 'pending'] as const) {
      if (fault === 'pending') engine.link.down(new Error('broken'));
      publish(fault);
      clock.advance(1);
    }
    const closed = bus[Symbol.asyncDispose]();
    clock.advance(199);
    expect(errors).to.have.length(1);
    clock.advance(1);
    await closed;
    expect(errors).to.have.length(2);
    expect(errors[1]).to.include({ code: 'ERR_PURGATORY_HINTS_LOST' });
    expect(errors[1].message).to.contain('"orders"').and.to.contain('200 ms');
  });

  it('ends by a refusal, also while hints are under way: no more attempts, one error', async () => {
    const { engine, clock, bus, errors, publish } = makeLive();
    publish('1');
    clock.advance(1);
    engine.link.down(refusal('NOPERM this user has no permissions'));
    expect(bus.state).to.equal('closed');
    clock.advance(60_000);
    await Promise.all([bus.flush(), bus.close()]);
    expect([engine.connects, errors.length]).to.deep.equal([1, 1]);
    expect(errors[0].code).to.equal('ERR_PURGATORY_BUS_REFUSED');
  });

  it('reports another version of the protocol once', () => {
    const { engine, errors } = make({ echoMs: 3_600_000 });
    engine.goLive();
    for (let n = 1; n < 4; n++) engine.link.received(`{"v":2,"o":"x","n":${n}}`);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.include({ code: 'ERR_PURGATORY_BUS_PROTOCOL' });
    expect(errors[0].message).to.contain('version 2').and.to.contain('version 1');
  });

  it('reports the first of a flood of foreign texts, and then once a minute how many there were', () => {
    const { engine, clock, bus, errors } = make({ echoMs: 3_600_000 });
    engine.goLive();
    for (let text = 0; text < 2_000; text++) engine.link.received(`foreign ${text}`);
    expect(errors).to.have.length(1);
    expect(errors[0].message).to.contain('foreign 0');
    clock.advance(59_999);
    expect(errors).to.have.length(1);
    clock.advance(1);
    expect(errors).to.have.length(2);
    expect(errors[1]).to.include({ code: 'ERR_PURGATORY_BUS_PROTOCOL' });
    expect(errors[1].message).to.contain('1999 more texts').and.not.to.contain('foreign');
    clock.advance(120_000);
    expect(errors).to.have.length(2);
    expect(bus.snapshot().totals.framesDropped).to.equal(2_000);
  });

  it('reads what the engine has confirmed during a standstill, also after the echo', async () => {
    const { engine, clock, bus, publish } = makeLive({ echoMs: 100, echoTimeoutMs: 200 });
    clock.advance(98);
    publish('1');
    clock.advance(2);
    const [, frame, echo] = engine.sent;
    const withoutStop = clock.now.bind(clock);
    clock.now = () => withoutStop() + 20_000;
    engine.link.received(echo.text);
    frame.resolve(); // in the same turn, by the other socket
    await turn();
    clock.advance(100);
    expect(bus.state).to.equal('live');
    expect(bus.snapshot().totals.gaps).to.include({ connection: 0, publish: 0 });
  });

  it('does not take its own standstill for one of the engine', () => {
    const { engine, clock, bus } = make({ echoMs: 100, echoTimeoutMs: 200 });
    engine.goLive();
    clock.advance(100);
    // A clock that jumps, as for a process that was stopped: its timer runs late.
    const late = { now: clock.now.bind(clock) };
    let jumpMs = 0;
    clock.now = () => late.now() + jumpMs;
    jumpMs = 20_000;
    clock.advance(200);
    expect(bus.state).to.equal('live');
    engine.echo();
    expect(bus.state).to.equal('live');
  });
});
