import { expect } from 'chai';
import { type Bus, checkedBusOptions } from '../../src/bus/bus.ts';
import { Inbox } from '../../src/bus/inbox.ts';
import { Members } from '../../src/bus/members.ts';
import type { BusMember } from '../../src/bus/membership/bus-member.ts';
import { Origins } from '../../src/bus/origins.ts';
import { BusMeter } from '../../src/bus/telemetry/bus-meter.ts';
import { type Clock, ManualClock, SystemTimer } from '../../src/index.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { turn, until } from '../support/turns.ts';

type MovedClock = Clock & Pick<ManualClock, 'advance'>;

/** An inbox whose members take `ms` for each hint. */
function slowInbox(ms: number, { maxKeys = 1_000, clock = new ManualClock() as MovedClock } = {}) {
  const heard: unknown[] = [];
  const swept: string[] = [];
  const timer = new SystemTimer({ clock });
  const meter = new BusMeter({} as Bus, 'none', 0);
  const base = { engine: 'none', options: checkedBusOptions({ maxPendingKeys: maxKeys }), timer, meter };
  const inbox = new Inbox(base, new Members(base));
  const member: BusMember = {
    name: 'orders',
    hinted: (key, value) => {
      heard.push(value === undefined ? key : [key, value]);
      clock.advance(ms);
      return key !== 'nobody';
    },
    sweep: () => swept.push('orders'),
  };
  return { heard, swept, inbox, member, counts: meter.counts };
}

describe('hints that come in', () => {
  it('are tried at the end of the turn, for 5 ms after the first few; the rest waits, each key once', async () => {
    const { heard, inbox, member } = slowInbox(2, { clock: new SlowClock() });
    for (let key = 0; key < 40; key++) inbox.add({ member, key: `${key}`, value: undefined });
    inbox.serve();
    expect(heard).to.deep.equal([]);
    await turn();
    expect(heard).to.have.length(16 + 16);
    inbox.add({ member, key: '39', value: 7 });
    inbox.serve();
    await turn();
    expect(heard).to.have.length(32 + 3);
    await until(() => heard.length === 40);
    expect(heard.slice(-2)).to.deep.equal(['38', ['39', 7]]);
  });

  it('are at most 64 before the microtasks: the clock does not see what their waiters do next', async () => {
    const { heard, inbox, member } = slowInbox(0, { clock: new SlowClock() });
    let ahead = 0;
    let most = 0;
    const answering: BusMember = {
      ...member,
      hinted: (key) => {
        most = Math.max(most, ++ahead);
        void Promise.resolve().then(() => ahead--);
        return member.hinted(key, undefined);
      },
    };
    for (let key = 0; key < 600; key++) inbox.add({ member: answering, key: `${key}`, value: undefined });
    inbox.serve();
    await until(() => heard.length === 600);
    expect(most).to.equal(64);
  });

  it('are all tried in the call where time stands still', () => {
    const { heard, inbox, member } = slowInbox(2);
    for (let key = 0; key < 1_000; key++) inbox.add({ member, key: `${key}`, value: undefined });
    inbox.serve();
    expect(heard).to.have.length(1_000);
  });

  it('merge as their member says, while they wait', () => {
    const { heard, inbox, member } = slowInbox(0);
    const limited: BusMember = { ...member, merge: (earlier, later) => Number(earlier) + Number(later) };
    for (const limit of [2, 1]) inbox.add({ member: limited, key: 'k', value: limit });
    for (const value of [2, 1]) inbox.add({ member, key: 'k', value });
    inbox.serve();
    expect(heard).to.deep.equal([
      ['k', 3],
      ['k', 1],
    ]);
  });

  it('become one sweep for each member when more than maxKeys are pending', async () => {
    const { heard, swept, counts, inbox, member } = slowInbox(20, { maxKeys: 20, clock: new SlowClock() });
    for (let key = 0; key < 20; key++) inbox.add({ member, key: `${key}`, value: undefined });
    inbox.serve();
    await undefined;
    expect(heard).to.have.length(16);
    for (let key = 0; key < 17; key++) inbox.add({ member, key: `more ${key}`, value: undefined });
    expect([swept, counts.overflowed]).to.deep.equal([['orders'], 21]);
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(heard).to.have.length(16);
    inbox.add({ member, key: 'later', value: undefined });
    inbox.serve();
    await turn();
    expect(heard.slice(16)).to.deep.equal(['later']);
  });

  it('tell whether anybody watched', () => {
    const { inbox, member, counts } = slowInbox(0);
    for (const key of ['somebody', 'nobody']) inbox.add({ member, key, value: undefined });
    inbox.serve();
    expect(counts.forNobody).to.equal(1);
  });

  it('are dropped when their member leaves, also from inside a try', () => {
    const { heard, inbox, member } = slowInbox(0);
    const leaver: BusMember = {
      ...member,
      name: 'leaver',
      hinted: (key) => {
        heard.push(key);
        inbox.drop(leaver);
        return true;
      },
    };
    for (const key of ['1', '2', '3']) inbox.add({ member: leaver, key, value: undefined });
    inbox.add({ member, key: '4', value: undefined });
    inbox.serve();
    inbox.serve();
    expect(heard).to.deep.equal(['1', '4']);
  });
});

describe('the numbers of frames', () => {
  it('tell what is in order, missing and repeated', () => {
    const origins = new Origins();
    const note = (number: number): string => origins.note('a', number, 0, false);
    expect([5, 6, 6, 5, 9, 7, 10, 12].map(note)).to.deep.equal([
      'inOrder',
      'inOrder',
      'repeated',
      'repeated',
      'jumped',
      'repeated',
      'inOrder',
      'jumped',
    ]);
  });

  it('of a process that must have been heard begin with 1', () => {
    const origins = new Origins();
    expect(origins.note('a', 1, 0, true)).to.equal('inOrder');
    expect(origins.note('b', 2, 0, true)).to.equal('jumped');
    expect(origins.note('c', 2, 0, false)).to.equal('inOrder');
  });

  it('are forgotten with their process', () => {
    const origins = new Origins();
    origins.note('a', 1, 0, false);
    origins.note('a', 2, 10, false);
    origins.note('b', 1, 20, false);
    origins.forget(15);
    expect(origins.size).to.equal(1);
    expect(origins.note('b', 2, 20, true)).to.equal('inOrder');
    origins.clear();
    expect(origins.size).to.equal(0);
  });
});
