import { expect } from 'chai';
import { BusContext } from '../../src/bus/bus-context.ts';
import { type Bus, checkedBusOptions } from '../../src/bus/bus-options.ts';
import type { Connection } from '../../src/bus/connection.ts';
import { FrameBody, frameText, GOODBYE } from '../../src/bus/frames.ts';
import type { BusMember, HintValue } from '../../src/bus/membership/bus-member.ts';
import { Receiver } from '../../src/bus/receiver.ts';
import { type Clock, ManualClock } from '../../src/index.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { turn, until } from '../support/turns.ts';

type MovedClock = Clock & Pick<ManualClock, 'advance'>;

const MANY_BYTES = 1_000_000;

/** A receiver whose members take `ms` for each hint. */
function slowReceiver(
  ms: number,
  {
    maxKeys = 1_000,
    clock = new ManualClock() as MovedClock,
    connection = { origin: 'own', state: 'live' },
  } = {},
) {
  const heard: unknown[] = [];
  const swept: string[] = [];
  const base = new BusContext(
    {} as Bus,
    'none',
    checkedBusOptions({ maxPendingKeys: maxKeys, clock, onError() {} }),
  );
  const receiver = new Receiver(base, connection as unknown as Connection, () => {});
  const join = (name: string, more?: Partial<BusMember>): BusMember => {
    const member: BusMember = {
      name,
      hinted: (key, value) => {
        heard.push(value === undefined ? key : [key, value]);
        clock.advance(ms);
        return key !== 'nobody';
      },
      sweep: () => swept.push(name),
      ...more,
    };
    receiver.join(member);
    return member;
  };
  /** A frame with a hint for each of `keys` comes. */
  const come = (keys: readonly string[], value?: HintValue, name = 'orders'): void => {
    const body = new FrameBody(MANY_BYTES);
    for (const key of keys) body.add(name, key, value);
    receiver.received(frameText(body.text()));
  };
  return { heard, swept, receiver, join, come, counts: base.meter.counts };
}

function numbered(count: number, before = ''): string[] {
  return Array.from({ length: count }, (_, key) => `${before}${key}`);
}

describe('hints that come in', () => {
  it('are tried at the end of the turn, for 5 ms and a batch; the rest waits, each key once', async () => {
    const { heard, join, come } = slowReceiver(2, { clock: new SlowClock() });
    join('orders');
    come(numbered(40));
    expect(heard).to.deep.equal([]);
    await turn();
    expect(heard).to.have.length(16);
    come(['39'], 7);
    await turn();
    expect(heard).to.have.length(16 + 3);
    await until(() => expect(heard.length).to.equal(40));
    expect(heard.slice(-2)).to.deep.equal(['38', ['39', 7]]);
  });

  it('are at most 64 before the microtasks: the clock does not see what their waiters do next', async () => {
    const { heard, join, come } = slowReceiver(0, { clock: new SlowClock() });
    let ahead = 0;
    let most = 0;
    join('orders', {
      hinted: (key) => {
        most = Math.max(most, ++ahead);
        void Promise.resolve().then(() => ahead--);
        return heard.push(key) > 0;
      },
    });
    come(numbered(600));
    await until(() => expect(heard.length).to.equal(600));
    expect(most).to.equal(64);
  });

  it('are all tried in the call where time stands still', () => {
    const { heard, join, come } = slowReceiver(2);
    join('orders');
    come(numbered(1_000));
    expect(heard).to.have.length(1_000);
  });

  it('merge as their member says, while they wait', async () => {
    const { heard, join, come } = slowReceiver(0, { clock: new SlowClock() });
    join('limited', { merge: (earlier, later) => Number(earlier) + Number(later) });
    join('orders');
    for (const limit of [2, 1]) come(['k'], limit, 'limited');
    for (const value of [2, 1, undefined]) come(['k'], value);
    await turn();
    expect(heard, 'no value is none that counts').to.deep.equal([
      ['k', 3],
      ['k', 1],
    ]);
  });

  it('are dropped when their member leaves, also from inside a try', async () => {
    const { heard, receiver, join, come } = slowReceiver(0, { clock: new SlowClock() });
    join('orders');
    const leaver = join('leaver', {
      hinted: (key) => {
        receiver.leave(leaver);
        return heard.push(key) > 0;
      },
    });
    come(['1', '2', '3'], undefined, 'leaver');
    come(['4']);
    await turn();
    expect(heard).to.deep.equal(['1', '4']);
  });
});

describe('texts that come in', () => {
  it('are read for 5 ms and a batch a turn; more than 256 at once, which slows down who sends', async () => {
    const clock = new SlowClock();
    const { receiver, join, come, counts } = slowReceiver(0, { clock });
    // Each frame that is read takes 3 ms: a sweep is asked for while it is taken.
    join('slow', { sweep: () => void clock.advance(3) });
    const sweeps = new FrameBody(MANY_BYTES);
    sweeps.addAll('slow');
    for (let frame = 0; frame < 100; frame++)
      receiver.received(frameText(sweeps.text(), 'a', { number: frame + 1, previous: undefined }));
    expect(counts.framesReceived).to.equal(1);
    await turn();
    expect(counts.framesReceived).to.be.within(2, 18);
    for (let frame = 0; frame < 256; frame++) come([]);
    expect(counts.framesReceived).to.be.within(100, 118);
    await until(() => expect(counts.framesReceived).to.equal(356));
  });

  it('are dropped when the bus has closed', async () => {
    const connection = { origin: 'own', state: 'live' };
    const { receiver, come, counts } = slowReceiver(0, { clock: new SlowClock(), connection });
    come([]);
    come([]);
    receiver.received('foreign');
    connection.state = 'closed';
    await turn();
    expect([counts.framesReceived, counts.framesDropped]).to.deep.equal([1, 0]);
  });

  it('are read before a deadline, so that a hint that has come in time counts', () => {
    const clock = new SlowClock();
    const { receiver, heard, join, come } = slowReceiver(0, { clock });
    const member = join('orders');
    come([]);
    come(['in time', 'another']);
    expect(heard).to.deep.equal([]);
    receiver.serveHint(member, 'in time');
    expect(heard).to.deep.equal(['in time']);
  });
});

describe('the numbers of frames', () => {
  /** A receiver that tells of each frame what its number made of it. */
  function numbers() {
    const state = {
      origin: 'own',
      state: 'live',
      knowsAll: false,
      liveMs: 0,
      jumps: 0,
      jumped: () => void state.jumps++,
    };
    const { receiver, join } = slowReceiver(0, { connection: state });
    const heard: string[] = [];
    const values: unknown[] = [];
    join('orders', {
      dropsLateValues: true,
      hinted: (key, value) => heard.push(key) + values.push(value) > 0,
    });
    /** A frame comes, with a hint on `key`, which has its number for a value, if there is one. */
    const note = (origin: string, number: number, before?: number, ageMs = 0, key?: string): string => {
      const previous = before === undefined ? undefined : { number: before, ageMs };
      const { jumps } = state;
      const body = new FrameBody(MANY_BYTES);
      if (key !== undefined) body.add('orders', key, number);
      receiver.received(frameText(body.text(), origin, { number, previous }));
      return state.jumps > jumps ? 'jumped' : 'inOrder';
    };
    return { state, receiver, note, heard, values };
  }

  it('tell what is in order and missing; one that comes again is neither', () => {
    const { note } = numbers();
    expect([5, 6, 6, 5, 6, 7, 9, 10, 12].map((number) => note('a', number))).to.deep.equal([
      ...Array(6).fill('inOrder'),
      'jumped',
      'inOrder',
      'jumped',
    ]);
  });

  it('of a process that must have been heard begin with 1', () => {
    const { note, state } = numbers();
    state.knowsAll = true;
    expect(note('a', 1)).to.equal('inOrder');
    expect(note('b', 2)).to.equal('jumped');
    state.knowsAll = false;
    expect(note('c', 2)).to.equal('inOrder');
  });

  it('tell which was before, after a break or a silence: what could not be sent has none', () => {
    const { note, state } = numbers();
    for (const number of [5, 6]) note('a', number);
    expect(note('a', 9, 6), '7 and 8 went under, and are said again').to.equal('inOrder');
    expect(note('a', 12, 10), '10 is missing').to.equal('jumped');
    expect(note('a', 13)).to.equal('inOrder');
    state.knowsAll = true;
    state.liveMs = 1_000;
    expect(note('away', 55, 54, 1_000), 'nobody here knew it').to.equal('inOrder');
    expect(note('away', 57)).to.equal('jumped');
    expect(note('elsewhere', 55, 54, 999), '54 came while this bus was live').to.equal('jumped');
    expect(note('elsewhere', 56)).to.equal('inOrder');
    expect(note('tells nothing', 9, 0), 'it has had no hints').to.equal('inOrder');
  });

  it('of a connection that hung say nothing when it delivers at last, after its process has another', () => {
    const { note, state, values } = numbers();
    state.knowsAll = true;
    note('a', 1);
    for (const again of [4, 9]) {
      expect(note('a', again, 1), 'what hung is said again').to.equal('inOrder');
      for (const hung of [2, 3])
        expect(note('a', hung, undefined, 0, 'k'), `${hung} comes`).to.equal('inOrder');
      expect(note('a', again + 1)).to.equal('inOrder');
      expect(note('a', again + 3), 'a frame is missing').to.equal('jumped');
      expect(values.splice(0), 'the hints are tried, and the values set nothing back').to.deep.equal(
        Array(2).fill(undefined),
      );
    }
  });

  for (const jump of [1, 2, 500, 999, 1_000, 5_000, Number.MAX_SAFE_INTEGER - 7, -8]) {
    it(`that are forged (${jump} further) cost a gap at most: all hints and values of the process are taken`, () => {
      const { note, state, heard, values } = numbers();
      for (const number of [5, 6, 7]) note('a', number);
      note('a', 7 + jump);
      const real = numbered(20);
      for (const [index, key] of real.entries()) note('a', 8 + index, undefined, 0, key);
      expect(heard).to.deep.equal(real);
      expect(values).to.deep.equal(real.map((_, index) => 8 + index));
      expect(state.jumps).to.equal(jump > 1 ? 1 : 0);
      expect(note('a', 29), '28 is missing').to.equal('jumped');
    });
  }

  it('that a stranger forges with a break of the process delay two values, and drop none', () => {
    const { note, values } = numbers();
    note('a', 7);
    note('a', 1_000, 7);
    for (const real of [8, 9]) note('a', real, undefined, 0, `${real}`);
    expect(values.splice(0), 'they may be late').to.deep.equal([undefined, undefined]);
    for (const real of [10, 11, 12]) note('a', real, undefined, 0, `${real}`);
    expect(values).to.deep.equal([8, 9, 10, 11, 12]);
  });

  it('are kept of 10,000 processes at most', () => {
    const { note, receiver } = numbers();
    note('a', 1);
    for (let other = 0; other < 9_999; other++) note(`${other}`, 1);
    expect(note('a', 2)).to.equal('inOrder');
    for (let other = 0; other < 30_000; other++) note(`${other}`, 1);
    expect(receiver.peers).to.equal(10_000);
  });

  it('of who has said goodbye are kept no longer, and crowd out no process that is only silent', () => {
    const { note, receiver, state } = numbers();
    note('a', 1);
    for (let echo = 0; echo < 4; echo++) receiver.echoed();
    for (let other = 0; other < 10_001; other++) {
      receiver.received(frameText(GOODBYE, `${other}`, { number: 1, previous: undefined }));
    }
    state.knowsAll = true;
    expect([receiver.peers, note('a', 2), note('a', 3)]).to.deep.equal([0, 'inOrder', 'inOrder']);
  });

  it('no longer count a process that was not heard during three echoes, and know where it stands', () => {
    const { note, receiver, state } = numbers();
    note('a', 1);
    receiver.echoed();
    note('b', 1);
    for (let echo = 0; echo < 2; echo++) receiver.echoed();
    expect(receiver.peers).to.equal(2);
    receiver.echoed();
    expect(receiver.peers).to.equal(1);
    receiver.echoed();
    expect([receiver.peers, receiver.doubt]).to.deep.equal([0, { beganMs: 0, silent: 2, heard: 0 }]);
    state.knowsAll = true;
    expect(note('b', 2), 'it has only been silent').to.equal('inOrder');
    expect(note('a', 3), '2 is missing').to.equal('jumped');
    expect([receiver.peers, receiver.doubt]).to.deep.equal([2, null]);
    receiver.forgetAll();
    state.knowsAll = false;
    expect(note('a', 7), 'after a gap of this bus').to.equal('inOrder');
  });
});
