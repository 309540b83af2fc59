import { expect } from 'chai';
import { checkPurgatoryInvariants } from '../../src/purgatory/purgatory.ts';
import { checkTimerInvariants } from '../../src/timer/timer.ts';
import { counts, EMPTY, hall, labels, type Op } from '../support/op.ts';

describe('behaviour 15: what completes, expires or is cancelled leaves every list and the timer in that call', () => {
  const ways: Record<string, (op: Op, h: ReturnType<typeof hall>) => void> = {
    'checkAndComplete of one of its keys': (op, { purgatory }) => {
      op.ready = true;
      purgatory.checkAndComplete('l');
    },
    forceComplete: (op) => void op.forceComplete(),
    'its deadline': (_, { clock }) => clock.advance(50),
    cancel: (op) => void op.cancel(),
    'cancelForKey of one of its keys': (_, { purgatory }) => void purgatory.cancelForKey('m'),
    'remove of the timer': (op, { timer }) => void timer.remove(op),
    'close of the purgatory': (_, { purgatory }) => void purgatory.close(),
    'close of the timer': (_, { timer }) => void timer.close(),
  };

  for (const [way, leave] of Object.entries(ways)) {
    it(`by ${way}`, () => {
      const h = hall();
      const op = h.park('a', ['k', 'l', 'm'], { delayMs: 50 });
      expect(counts(h.purgatory)).to.deep.equal({ watched: 3, watchedKeys: 3, numDelayed: 1 });
      expect(h.timer.size).to.equal(1);
      leave(op, h);
      expect(counts(h.purgatory)).to.deep.equal(EMPTY);
      expect(h.timer.size).to.equal(0);
      expect(op.isPending).to.equal(false);
    });

    it(`by ${way}, and is gone already when onComplete or onExpiration looks`, () => {
      const h = hall();
      const seen: unknown[] = [];
      const look = (): void => void seen.push(counts(h.purgatory), h.timer.size);
      const op = h.park('a', ['k', 'l', 'm'], { delayMs: 50, onCompleted: look, onExpired: look });
      leave(op, h);
      expect(seen.length).to.equal(2 * (op.completions + op.expirations));
      for (let i = 0; i < seen.length; i += 2) expect([seen[i], seen[i + 1]]).to.deep.equal([EMPTY, 0]);
    });
  }

  it('drops a key when its last watcher leaves, and only then', () => {
    const { purgatory, park } = hall();
    const a = park('a', ['k', 'l']);
    const b = park('b', ['l', 'm']);
    expect(counts(purgatory)).to.deep.equal({ watched: 4, watchedKeys: 3, numDelayed: 2 });
    a.cancel();
    expect(counts(purgatory)).to.deep.equal({ watched: 2, watchedKeys: 2, numDelayed: 1 });
    b.forceComplete();
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('keeps no account of operations that came and went', () => {
    const { timer, purgatory, park } = hall();
    for (let i = 0; i < 1_000; i++) {
      for (let j = 0; j < 10; j++) park(`${j}`, [`key ${i}`, 'hot'], { delayMs: 1_000 }).ready = true;
      expect(purgatory.checkAndComplete('hot')).to.equal(10);
      expect(counts(purgatory)).to.deep.equal(EMPTY);
    }
    expect(timer.size).to.equal(0);
  });

  it('takes one out of the middle, the head and the end of a list, and the others keep their order', () => {
    const { purgatory, park } = hall();
    const ops = ['a', 'b', 'c', 'd', 'e'].map((label) => park(label, ['k', label]));
    ops[2].cancel();
    ops[0].forceComplete();
    ops[4].cancel();
    expect(counts(purgatory)).to.deep.equal({ watched: 4, watchedKeys: 3, numDelayed: 2 });
    park('f', ['k']);
    expect(labels(purgatory.cancelForKey('k'))).to.deep.equal(['b', 'd', 'f']);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('keeps the few survivors of a burst in order, on all their keys', () => {
    const { timer, purgatory, park } = hall();
    const ops = Array.from({ length: 5_000 }, (_, i) =>
      park(`${i}`, ['hot', `key ${i}`, i % 10], { delayMs: 1_000 + i }),
    );
    const stays = (_: Op, i: number): boolean => i % 100 === 50;
    for (const op of ops.filter((_, i) => !stays(_, i))) op.forceComplete();
    checkPurgatoryInvariants(purgatory);
    checkTimerInvariants(timer);
    const survivors = ops.filter(stays);
    expect(counts(purgatory)).to.deep.equal({ watched: 150, watchedKeys: 52, numDelayed: 50 });
    expect(timer.size).to.equal(50);
    const late = park('late', ['hot', 'key 50']);
    expect(labels(purgatory.cancelForKey('key 50'))).to.deep.equal(['50', 'late']);
    expect(late.isPending).to.equal(false);
    survivors[3].ready = true;
    expect(purgatory.checkAndComplete('key 350')).to.equal(1);
    expect(labels(purgatory.cancelForKey('hot'))).to.deep.equal(
      labels(survivors.filter((op) => op.label !== '50' && op.label !== '350')),
    );
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect(timer.size).to.equal(0);
    checkPurgatoryInvariants(purgatory);
  });

  it('keeps them in order in the middle of a pass that completes the rest', () => {
    const { timer, purgatory, park } = hall();
    const ops = Array.from({ length: 5_000 }, (_, i) =>
      park(`${i}`, ['hot', `key ${i}`], { delayMs: 1_000 + i }),
    );
    for (const [i, op] of ops.entries()) op.ready = i % 100 !== 50;
    expect(purgatory.checkAndComplete('hot')).to.equal(4_950);
    checkPurgatoryInvariants(purgatory);
    checkTimerInvariants(timer);
    expect(ops.every((op) => op.tries === 1)).to.equal(true);
    expect(labels(purgatory.close())).to.deep.equal(labels(ops.filter((_, i) => i % 100 === 50)));
  });

  it('knows no key that was only asked for', () => {
    const { purgatory } = hall();
    expect(purgatory.checkAndComplete('k')).to.equal(0);
    expect(purgatory.cancelForKey('k')).to.deep.equal([]);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });
});
