import { expect } from 'chai';
import sinon from 'sinon';
import { Pass } from '../../src/purgatory/passes.ts';
import { Watchers } from '../../src/purgatory/watchers.ts';
import type { Slot } from '../../src/slab/slab.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { counts, type Hall, hall, type Op } from '../support/op.ts';
import { turn } from '../support/turns.ts';

const parkAlone = ({ park }: Hall, count: number): Op[] =>
  Array.from({ length: count }, (_, i) => park(`${i}`, [`request ${i}`]));

describe('The lone watcher of a key, which needs no watch list', () => {
  it('is in the snapshot with its key, as the others are, until it leaves', () => {
    const { purgatory, park } = hall();
    park('a', ['alone']);
    park('b', ['shared']);
    park('c', ['shared']);
    park('d', [undefined]);
    const { hottestKeys, oldest } = purgatory.snapshot();
    expect(hottestKeys).to.eql([
      { key: 'shared', watchers: 2 },
      { key: 'alone', watchers: 1 },
      { key: 'undefined', watchers: 1 },
    ]);
    expect(oldest.map(({ keys }) => keys)).to.eql([['alone'], ['shared'], ['shared'], ['undefined']]);
    for (const key of ['alone', undefined]) purgatory.cancelForKey(key);
    expect(purgatory.snapshot().hottestKeys).to.eql([{ key: 'shared', watchers: 2 }]);
  });
});

describe('behaviour 25: memory of watch lists', () => {
  afterEach(() => sinon.restore());

  /** How often memory was given back from here on. */
  const compactions = (): sinon.SinonSpy => sinon.spy(Watchers.prototype, 'compact');

  it('is given back in a turn of its own, not inside an event, when nothing is left', async () => {
    const { purgatory, park } = hall();
    const compact = compactions();
    for (let i = 0; i < 2_000; i++) park(`${i}`, ['k', i]).ready = true;
    expect(purgatory.checkAndComplete('k')).to.equal(2_000);
    await Promise.resolve();
    expect(compact.callCount).to.equal(0);
    await turn();
    expect(compact.callCount).to.equal(1);
    checkPurgatoryInvariants(purgatory);
    await turn();
    expect(compact.callCount).to.equal(1);
  });

  it('is kept where others have come before that turn', async () => {
    const { purgatory, park } = hall();
    const compact = compactions();
    for (let i = 0; i < 2; i++) {
      for (let n = 0; n < 2_000; n++) park(`${n}`, ['k']);
      if (i === 0) purgatory.cancelForKey('k');
    }
    await turn();
    expect(compact.callCount).to.equal(0);
  });

  it('is given back when under a quarter is in use, while a pass is held', async () => {
    const { purgatory, park, log } = hall();
    const compact = compactions();
    const crowd = Array.from({ length: 4_000 }, (_, i) => park(`crowd ${i}`, ['crowd', i]));
    const ops = Array.from({ length: 300 }, (_, i) => park(`${i}`, ['k', `${i % 7}`]));
    const lists = purgatory.$parked.lists as Watchers<unknown>;
    const pass = new Pass<unknown>('k');
    lists.begin(pass, lists.find('k') as Slot);
    lists.held.set('k', pass);
    for (const op of crowd) op.cancel();
    for (const op of ops.slice(100)) op.cancel();
    await turn();
    expect(compact.callCount).to.equal(1);
    checkPurgatoryInvariants(purgatory);
    ops[50].cancel();
    const stepped: unknown[] = [];
    while (!pass.isOver) stepped.push(lists.nextOf(pass));
    expect(stepped).to.deep.equal(ops.slice(0, 100).toSpliced(50, 1));
    expect(log).to.deep.equal([]);
  });

  it('is kept where the copy would take long, until more have left', async () => {
    const { park } = hall();
    const compact = compactions();
    const ops = Array.from({ length: 200_000 }, (_, i) => park(`${i}`, ['k']));
    const leave = async (left: number): Promise<number> => {
      for (const op of ops.splice(left)) op.cancel();
      await turn();
      return compact.callCount;
    };
    expect(await leave(40_000), 'each has a cell and a watch').to.equal(0);
    expect(await leave(20_000)).to.equal(1);
  });

  it('is not given back again and again where a few share a key beside a herd of lone watchers', async () => {
    const h = hall();
    const ops = parkAlone(h, 5_000);
    const compact = compactions();
    for (let burst = 0; burst < 10; burst++) {
      const others = Array.from({ length: 100 }, (_, i) => h.park(`${i}`, ['shared']));
      for (const other of others) other.cancel();
      await turn();
    }
    expect(compact.callCount).to.equal(0);
    for (const op of ops) op.cancel();
    await turn();
    expect(compact.callCount).to.equal(1);
    checkPurgatoryInvariants(h.purgatory);
  });
});

describe('A Map that takes no more keys', () => {
  afterEach(() => sinon.restore());

  const refused = {
    one: ['new'],
    'one of several': ['old', 'new', 'newer'],
    'the second new one': ['newest', 'new'],
  };
  for (const [which, keys] of Object.entries(refused)) {
    it(`refuses an operation with ${which}, parks nothing, and goes on`, () => {
      const { timer, purgatory, park } = hall();
      park('gone', ['gone']).cancel();
      park('old', ['old']);
      park('gone too', ['gone too']).cancel();
      const set = Map.prototype.set;
      sinon.replace(
        Map.prototype,
        'set',
        function (this: Map<unknown, unknown>, key: unknown, value: unknown) {
          if (key === 'new') throw new RangeError('Map maximum size exceeded');
          return set.call(this, key, value);
        },
      );
      expect(() => park('refused', keys, { delayMs: 10 })).to.throw(RangeError, 'Map maximum size exceeded');
      sinon.restore();
      checkPurgatoryInvariants(purgatory);
      expect(counts(purgatory)).to.deep.equal({ watched: 1, watchedKeys: 1, numDelayed: 1 });
      expect(timer.size).to.equal(0);
      park('accepted', keys).ready = true;
      expect(purgatory.checkAndComplete('new')).to.equal(1);
      checkPurgatoryInvariants(purgatory);
    });
  }
});
