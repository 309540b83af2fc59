import { expect } from 'chai';
import { Purgatory, SystemTimer } from '../../src/index.ts';
import { HostClock } from '../support/host-clock.ts';
import { hall, labels, Op } from '../support/op.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

describe('behaviour 16: one pass of checkAndComplete', () => {
  it('tries the operations of the key in park order, each once', () => {
    const { purgatory, park } = hall();
    const order: string[] = [];
    const onTry = (op: Op): void => void order.push(op.label);
    for (const label of ['a', 'b', 'c']) park(label, ['k', label], { onTry });
    park('other', ['l'], { onTry });
    order.length = 0;
    expect(purgatory.checkAndComplete('k')).to.equal(0);
    expect(order).to.deep.equal(['a', 'b', 'c']);
  });

  it('leaves operations parked during the pass to the next one', () => {
    const { purgatory, park } = hall();
    const fresh: Op[] = [];
    let armed = false;
    park('a', ['k'], { onTry: () => void (armed && fresh.push(park('by a try', ['k']))) });
    park('b', ['k'], { onCompleted: () => fresh.push(park('by a completion', ['k'])) }).ready = true;
    armed = true;
    expect(purgatory.checkAndComplete('k')).to.equal(1);
    armed = false;
    expect(labels(fresh)).to.deep.equal(['by a try', 'by a completion']);
    expect(fresh.map((op) => op.tries)).to.deep.equal([0, 0]);
    for (const op of fresh) op.ready = true;
    expect(purgatory.checkAndComplete('k')).to.equal(2);
  });
});

describe('behaviour 22: a chain of events that overflows the stack', () => {
  const chains: Record<string, (i: number) => number[]> = {
    'lists of watchers': (i) => [i, -1 - i],
    'lone watchers': (i) => [i],
  };
  for (const [which, keysOf] of Object.entries(chains)) {
    it(`on ${which}, throws a RangeError, and the purgatory can be closed`, async () => {
      const clock = new HostClock();
      const timer = new SystemTimer({ clock });
      const purgatory = new Purgatory<number, Op>('test', { timer });
      const ops = Array.from({ length: 20_000 }, (_, i) => {
        const op = new Op(`${i}`, { delayMs: 60_000, onCompleted: () => purgatory.checkAndComplete(i + 1) });
        purgatory.tryCompleteElseWatch(op, keysOf(i));
        return op;
      });
      for (const op of ops) op.ready = true;
      const [uncaught] = await uncaughtDuring(1, () => purgatory.checkAndComplete(0));
      expect(uncaught).to.be.instanceOf(RangeError);
      const left = ops.filter(({ isPending }) => isPending);
      const closed = new Set(purgatory.close());
      expect(purgatory.numDelayed).to.equal(0);
      // The call that the stack cut short may have left the one operation that it was ending.
      const cut = left.filter((op) => !closed.has(op));
      expect(cut).to.have.length.below(2);
      expect([...closed].some(({ isPending }) => isPending)).to.equal(false);
    });
  }
});
