import { expect } from 'chai';
import { Inbox } from '../../src/bus/inbox.ts';
import type { BusMember } from '../../src/bus/membership/bus-member.ts';
import { Origins } from '../../src/bus/origins.ts';
import { ManualClock, SystemTimer } from '../../src/index.ts';

/** An inbox whose members take `ms` for each hint. */
function slowInbox(ms: number, maxKeys = 1_000) {
  const clock = new ManualClock();
  const heard: unknown[] = [];
  const overflows: unknown[] = [];
  let unwatched = 0;
  const inbox = new Inbox(maxKeys, new SystemTimer({ clock }), {
    tried: (someoneWatched) => {
      if (!someoneWatched) unwatched++;
    },
    overflowed: (keys, members) => overflows.push([keys, [...members].map(({ name }) => name)]),
  });
  const member: BusMember = {
    name: 'orders',
    hinted: (key, value) => {
      heard.push(value === undefined ? key : [key, value]);
      clock.advance(ms);
      return key !== 'nobody';
    },
    sweep: () => {},
  };
  return { clock, heard, overflows, inbox, member, unwatched: () => unwatched };
}

describe('hints that come in', () => {
  it('are tried at once, for 5 ms in a row; the rest waits for a later turn, each key once', () => {
    const { clock, heard, inbox, member } = slowInbox(2);
    for (let key = 0; key < 8; key++) inbox.add(member, `${key}`, undefined);
    inbox.serve();
    expect(heard).to.deep.equal(['0', '1', '2']);
    inbox.add(member, '7', 7);
    inbox.serve();
    expect(heard, 'nothing more in this turn').to.have.length(3);
    clock.advance(1);
    expect(heard).to.have.length(6);
    clock.advance(1);
    expect(heard.slice(3)).to.deep.equal(['3', '4', '5', '6', ['7', 7]]);
  });

  it('are at most 256 in a row, however fast: the clock does not see what their waiters do next', () => {
    const { clock, heard, inbox, member } = slowInbox(0);
    for (let key = 0; key < 200; key++) inbox.add(member, `${key}`, undefined);
    inbox.serve();
    for (let key = 200; key < 600; key++) inbox.add(member, `${key}`, undefined);
    inbox.serve();
    expect(heard).to.have.length(256);
    clock.advance(0);
    expect(heard).to.have.length(512);
    clock.advance(0);
    expect(heard).to.have.length(600);
  });

  it('for nobody do not count among those 256', () => {
    const { heard, inbox, member } = slowInbox(0);
    const unwatched: BusMember = { ...member, hinted: (key) => heard.push(key) < 0 };
    for (let key = 0; key < 1_000; key++) inbox.add(unwatched, `${key}`, undefined);
    inbox.serve();
    expect(heard).to.have.length(1_000);
  });

  it('merge as their member says, while they wait', () => {
    const { heard, inbox, member } = slowInbox(0);
    const limited: BusMember = { ...member, merge: (earlier, later) => Number(earlier) + Number(later) };
    for (const limit of [2, 1]) inbox.add(limited, 'k', limit);
    for (const value of [2, 1]) inbox.add(member, 'k', value);
    inbox.serve();
    expect(heard).to.deep.equal([
      ['k', 3],
      ['k', 1],
    ]);
  });

  it('become one sweep for each member when more than maxKeys are pending', () => {
    const { clock, heard, overflows, inbox, member } = slowInbox(20, 5);
    inbox.add(member, 'first', undefined);
    inbox.add(member, 'second', undefined);
    inbox.serve();
    expect(heard).to.deep.equal(['first']);
    for (let key = 0; key < 5; key++) inbox.add(member, `${key}`, undefined);
    expect(overflows).to.deep.equal([[6, ['orders']]]);
    clock.advance(100);
    expect(heard).to.deep.equal(['first']);
    inbox.add(member, 'later', undefined);
    inbox.serve();
    expect(heard).to.deep.equal(['first', 'later']);
  });

  it('tell whether anybody watched', () => {
    const { inbox, member, unwatched } = slowInbox(0);
    for (const key of ['somebody', 'nobody']) inbox.add(member, key, undefined);
    inbox.serve();
    expect(unwatched()).to.equal(1);
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
    for (const key of ['1', '2', '3']) inbox.add(leaver, key, undefined);
    inbox.add(member, '4', undefined);
    inbox.serve();
    inbox.serve();
    expect(heard).to.deep.equal(['1', '4']);
  });
});

describe('the numbers of frames', () => {
  it('tell what is in order, missing, late and repeated', () => {
    const origins = new Origins();
    const note = (number: number): string => origins.note('a', number, 0, false);
    expect([5, 6, 6, 5, 9, 7, 7, 10, 8, 12].map(note)).to.deep.equal([
      'inOrder',
      'inOrder',
      'repeated',
      'repeated',
      'jumped',
      'late',
      'repeated',
      'inOrder',
      'late',
      'jumped',
    ]);
    expect([3, 4, 4, 2].map(note), 'before the first that was heard').to.deep.equal([
      'late',
      'late',
      'repeated',
      'late',
    ]);
  });

  it('of a process that must have been heard begin with 1', () => {
    const origins = new Origins();
    expect(origins.note('a', 1, 0, true)).to.equal('inOrder');
    expect(origins.note('b', 2, 0, true)).to.equal('jumped');
    expect(origins.note('c', 2, 0, false)).to.equal('inOrder');
  });

  it('are forgotten with their process, and bounded', () => {
    const origins = new Origins();
    origins.note('a', 1, 0, false);
    origins.note('a', 1_000_000, 10, false);
    expect(origins.note('a', 2, 10, false), 'too old to be known').to.equal('repeated');
    expect(origins.note('a', 999_999, 10, false)).to.equal('late');
    origins.note('b', 1, 20, false);
    origins.forget(15);
    expect(origins.size).to.equal(1);
    origins.clear();
    expect(origins.size).to.equal(0);
  });
});
