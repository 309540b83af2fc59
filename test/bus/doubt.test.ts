import { expect } from 'chai';
import { turn } from '../support/turns.ts';
import { type Process, Rig } from './rig.ts';

const ECHO_MS = 100;

/** Processes that have heard each other, on one engine. */
function processes(count: number) {
  const rig = new Rig();
  const all = Array.from({ length: count }, () => rig.process({ echoMs: ECHO_MS, echoTimeoutMs: ECHO_MS }));
  const pass = (echoes: number): void => {
    for (let echo = 0; echo < echoes; echo++) rig.clock.advance(ECHO_MS);
  };
  pass(2);
  const buses = all.map(({ bus }) => bus);
  return { ...rig, rig, clock: rig.clock, hub: rig.hub, all, buses, pass };
}

const inDoubt = ({ bus }: Process): boolean => bus.snapshot().doubt !== null;
const codes = ({ errors }: Process): unknown[] => errors.map((error) => (error as { code?: string }).code);

describe('a bus that hears itself, and most others no more', () => {
  it('is in doubt on each side of a split, says so once, and sweeps at a slow pace until they are heard', () => {
    const { all, buses, hub, pass } = processes(4);
    hub.split(buses.slice(0, 2));
    pass(5);
    for (const process of all) {
      expect(process.bus.state).to.equal('live');
      expect(process.bus.snapshot().doubt, 'one of three is heard').to.include({ silent: 2, heard: 1 });
      expect(codes(process)).to.deep.equal(['ERR_PURGATORY_BUS_DOUBT']);
      expect(String(process.errors[0])).to.contain('2 processes').and.to.contain('the engine is split');
    }
    const before = all.map(({ listener }) => listener.sweeps);
    pass(30);
    for (const [index, { listener, errors }] of all.entries()) {
      expect(listener.sweeps - before[index], 'a sweep every three echoes').to.equal(10);
      expect(errors).to.have.length(1);
    }
    all[0].publish('here');
    hub.mend();
    pass(2);
    expect(all.filter(inDoubt)).to.deep.equal([]);
    const after = all.map(({ listener }) => listener.sweeps);
    pass(30);
    expect(all.map(({ listener }) => listener.sweeps)).to.deep.equal(after);
  });

  it('is none where a minority falls silent, or one alone, or in turn: these are crashes', () => {
    for (const [count, crashes] of [
      [4, [[0]]],
      [2, [[0]]],
      [6, [[0, 1]]],
      [5, [[0], [1], [2], [3]]],
    ] as const) {
      const { all, buses, hub, pass } = processes(count);
      for (const together of crashes) {
        for (const index of together) hub.mute(buses[index]);
        pass(3);
      }
      pass(10);
      const last = all[count - 1];
      expect([inDoubt(last), last.errors], `${crashes}`).to.deep.equal([false, []]);
    }
  });

  it('does not count who said goodbye, and counts them as peers no more at once', async () => {
    const { all, buses, hub, pass } = processes(5);
    const [stays] = all;
    hub.disturb({ duplication: 1 });
    expect(stays.bus.snapshot().peers).to.equal(4);
    await Promise.all(buses.slice(1, 4).map((bus) => bus.close()));
    expect(stays.bus.snapshot().peers).to.equal(1);
    pass(10);
    expect([inDoubt(stays), stays.errors, stays.bus.snapshot().totals.gaps.sequence]).to.deep.equal([
      false,
      [],
      0,
    ]);
    await buses[4].close();
    pass(10);
    expect([inDoubt(stays), stays.bus.snapshot().peers]).to.deep.equal([false, 0]);
  });

  it('does not count who closes in a gap on a sound connection, for that says goodbye, too', async () => {
    const { all, buses, hub, clock } = processes(2);
    hub.mute(buses[1]);
    all[0].publish('lost');
    clock.advance(1);
    hub.mend(buses[1]);
    hub.disturb({ delayMs: 20 });
    all[0].publish('next');
    clock.advance(41);
    expect(buses[1].state, 'a frame is missing').to.equal('gap');
    const closing = buses[1].close();
    await turn();
    clock.advance(40);
    await closing;
    expect(buses[0].snapshot().peers).to.equal(0);
  });

  it('counts who has crashed as no peer after three echoes, and forgets a doubt after a hundred', () => {
    const { all, buses, hub, pass } = processes(26);
    const [stays] = all;
    for (const bus of buses.slice(1)) hub.mute(bus);
    pass(3);
    expect(stays.bus.snapshot()).to.include({ peers: 25, doubt: null });
    pass(2);
    expect(stays.bus.snapshot().peers).to.equal(0);
    expect(stays.bus.snapshot().doubt).to.include({ silent: 25, heard: 0 });
    pass(99);
    expect(inDoubt(stays)).to.equal(true);
    pass(2);
    expect(inDoubt(stays)).to.equal(false);
  });

  it('asks for those of before its own gap, too: it may have come to another part of the engine', () => {
    const { all, buses, hub, pass } = processes(4);
    hub.cut(buses[0]);
    pass(20);
    hub.mend(buses[0]);
    hub.split([buses[0]]);
    pass(5);
    expect(all[0].bus.state).to.equal('live');
    expect(all[0].bus.snapshot().doubt).to.include({ silent: 3, heard: 0 });
    expect(all.slice(1).filter(inDoubt), 'one alone fell silent for these').to.deep.equal([]);
  });

  it('is none after this process alone has stood still', () => {
    const { all, clock, pass } = processes(4);
    const now = clock.now.bind(clock);
    clock.now = () => now() + 60_000; // all of a machine was frozen
    pass(10);
    expect(all.filter(inDoubt)).to.deep.equal([]);
  });
});
