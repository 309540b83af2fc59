import { expect } from 'chai';
import { Rounds } from '../../src/purgatory/rounds.ts';

const ALL = Number.POSITIVE_INFINITY;

function rounds(...keys: string[]): Rounds<string> {
  const pending = new Rounds<string>();
  for (const key of keys) pending.add(key, ALL);
  return pending;
}

/** Takes the keys that are left of the round, each with its limit. */
function takeRound(pending: Rounds<string>): [string, number][] {
  const taken: [string, number][] = [];
  while (!pending.isRoundOver) {
    const key = pending.first();
    taken.push([key, pending.limitOf(key)]);
    pending.take();
  }
  return taken;
}

describe('Rounds of pending keys', () => {
  it('give each key once, in the order of its first notify', () => {
    const pending = rounds('b', 'a', 'b');
    expect(pending.size).to.equal(2);
    pending.startRound();
    expect(takeRound(pending)).to.deep.equal([
      ['b', ALL],
      ['a', ALL],
    ]);
    expect(pending.size).to.equal(0);
  });

  it('take a key that is notified after its turn into the next round, and one before into this', () => {
    const pending = rounds('a', 'b');
    pending.startRound();
    pending.take();
    expect(pending.has('a')).to.equal(false);
    pending.add('a', ALL);
    pending.add('b', ALL);
    expect(pending.keys()).to.deep.equal(['b', 'a']);
    expect(takeRound(pending)).to.deep.equal([['b', ALL]]);
    pending.startRound();
    expect(takeRound(pending)).to.deep.equal([['a', ALL]]);
  });

  it('leave out a key that is removed, wherever it stands, and take it again when it is notified', () => {
    for (const gone of ['a', 'b', 'c']) {
      const pending = rounds('a', 'b', 'c');
      pending.startRound();
      expect(pending.remove(gone)).to.equal(ALL);
      expect(pending.remove(gone)).to.equal(0);
      pending.add(gone, 1);
      const left = ['a', 'b', 'c'].filter((key) => key !== gone);
      expect(takeRound(pending).map(([key]) => key)).to.deep.equal(left);
      pending.startRound();
      expect(takeRound(pending)).to.deep.equal([[gone, 1]]);
    }
  });

  it('add limits up until the key is taken, and forget them where one has none', () => {
    const pending = new Rounds<string>();
    for (const limit of [1, 2]) pending.add('a', limit);
    for (const limit of [1, ALL, 3]) pending.add('b', limit);
    pending.startRound();
    pending.add('a', 4);
    expect(takeRound(pending)).to.deep.equal([
      ['a', 7],
      ['b', ALL],
    ]);
    pending.add('a', 1);
    pending.startRound();
    expect(takeRound(pending)).to.deep.equal([['a', 1]]);
  });

  it('end the event on a key whose limit is used up before its turn', () => {
    const pending = rounds('b');
    pending.add('a', 2);
    pending.startRound();
    expect(pending.useUp('a')).to.equal(false);
    expect(pending.limitOf('a')).to.equal(1);
    expect(pending.useUp('a')).to.equal(true);
    expect(pending.useUp('b')).to.equal(false);
    expect(takeRound(pending)).to.deep.equal([['b', ALL]]);
  });

  it('keep nothing once they are cleared', () => {
    const pending = rounds('a', 'b');
    pending.startRound();
    pending.take();
    pending.add('c', 1);
    pending.clear();
    expect(pending.size).to.equal(0);
    expect(pending.keys()).to.deep.equal([]);
    pending.add('c', ALL);
    pending.startRound();
    expect(takeRound(pending)).to.deep.equal([['c', ALL]]);
  });
});
