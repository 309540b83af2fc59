import { expect } from 'chai';
import { Division } from '../../../src/waits/shared/division.ts';
import { DueKeys } from '../../../src/waits/shared/due-keys.ts';
import { type Load, WatchedKey } from '../../../src/waits/shared/load.ts';

describe('The keys that are due', () => {
  it('are counted once each, whatever happens to their batches', () => {
    const due = new DueKeys(2);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new WatchedKey(name));
    for (const key of [a, b, c, a]) due.add(key);
    expect(due.size).to.equal(3);
    due.delete(b);
    due.delete(b);
    expect(due.size).to.equal(2);
    expect([...(due.next(true)?.keys ?? [])]).to.deep.equal([a]);
    due.add(b);
    expect([...(due.next(true)?.keys ?? [])]).to.deep.equal([c, b]);
    expect(due.size).to.equal(0);
    due.add(a);
    due.clear();
    due.delete(a);
    expect(due.size).to.equal(0);
  });

  it('stay in the part of a division, and tell the division when the part has lost its keys', () => {
    const due = new DueKeys(5);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new WatchedKey(name));
    const decided: boolean[] = [];
    const division = new Division<Load>(2, (_failed, isUp) => void decided.push(isUp));
    due.addPart([a, b], division);
    for (const key of [a, c]) due.add(key);
    expect(due.size).to.equal(3);
    division.failed({} as Load, 'down');
    due.delete(a);
    expect(decided).to.deep.equal([]);
    due.delete(b);
    expect(decided, 'no other part is open').to.deep.equal([false]);
    expect([...(due.next(true)?.keys ?? [])]).to.deep.equal([c]);
  });

  it('that timed out are alone, take turns with all others, and are as others again after an answer', () => {
    const due = new DueKeys(2);
    const [a, b, c, d, e, f] = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => new WatchedKey(name));
    const order = (withApart: boolean): string[] => {
      const batches: string[] = [];
      for (let next = due.next(withApart); next !== undefined; next = due.next(withApart)) {
        batches.push(Array.from(next.keys, ({ key }) => key).join(''));
      }
      return batches;
    };
    due.timedOut(['a']);
    due.timedOut(['b', 'c']);
    for (const key of [a, b, c, d, e, f]) due.add(key);
    expect(order(true), 'those that timed out in company come first').to.eql(['b', 'de', 'c', 'f', 'a']);
    for (const key of [a, d]) due.add(key);
    expect(order(false)).to.deep.equal(['d']);
    expect(order(true)).to.deep.equal(['a']);
    due.ended(['a', 'b']);
    for (const key of [a, b, c]) due.add(key);
    expect(order(true)).to.deep.equal(['ab', 'c']);
    for (let i = 0; i < 1_000; i++) due.timedOut([`other ${i}`]);
    e.failures = 1;
    for (const key of [c, e, d]) due.add(key);
    expect(order(false), 'of the last 1,000 it is known; a key that failed shares with none').to.eql([
      'cd',
      'e',
    ]);
  });
});
