import { expect } from 'chai';
import fc from 'fast-check';
import { KeyWalk } from '../../../src/bus/membership/key-walk.ts';
import { Thresholds } from '../../../src/waits/threshold/thresholds.ts';
import { runs } from '../../property/runs.ts';
import { LoggingOperation } from '../../support/threshold-op.ts';

function park(thresholds: Thresholds<number, number>, key: number): LoggingOperation {
  const op = new LoggingOperation(`${key}`, Number.POSITIVE_INFINITY, []);
  thresholds.park(op, [[key, 10]], 0);
  return op;
}

function walkOver(
  thresholds: Thresholds<number, number>,
  visited: (key: number) => void,
  keysPerStep?: number,
  known: ReadonlyMap<number, unknown> = thresholds.levels,
): KeyWalk<number> {
  const visit = (key: number): number => {
    const watchers = thresholds.watchersOf(key);
    if (watchers > 0) visited(key);
    return watchers;
  };
  return new KeyWalk(known, visit, keysPerStep);
}

describe('A walk over the keys that somebody waits on', () => {
  it('visits several keys in a step, and all once more behind a round that is under way', () => {
    const thresholds = new Thresholds<number, number>();
    for (let key = 0; key < 10; key++) park(thresholds, key);
    const visited: number[] = [];
    const walk = walkOver(thresholds, (key) => visited.push(key), 4);
    walk.begin(0.3);
    expect([walk.left, walk.step(), walk.left]).to.deep.equal([3, 4, 2]);
    expect(visited.splice(0)).to.deep.equal([3, 4, 5, 6]);
    walk.begin();
    while (walk.left > 0) walk.step();
    expect(visited).to.deep.equal([7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2]);
  });

  it('comes to its first key in steps, so that a beginning blocks nothing, however often it comes', () => {
    const thresholds = new Thresholds<number, number>();
    for (let key = 0; key < 5_000; key++) park(thresholds, key);
    let given = 0;
    const known = {
      get size() {
        return thresholds.levels.size;
      },
      *keys() {
        for (const key of thresholds.levels.keys()) {
          given++;
          yield key;
        }
      },
    };
    const visited = new Set<number>();
    const walk = walkOver(thresholds, (key) => visited.add(key), 1, known as never);
    for (let round = 0; round < 100; round++) {
      walk.begin(0.5);
      expect(given).to.be.at.most(512);
      expect(walk.left).to.equal(5_000);
    }
    for (let before = given; walk.left === 5_000; before = given) {
      walk.step();
      expect(given - before).to.be.at.most(512);
    }
    for (let step = 0; step < 2_500; step++) walk.step();
    for (let round = 0; round < 100; round++) walk.begin();
    while (walk.left > 0) walk.step();
    expect(visited.size).to.equal(5_000);
    expect(given, 'two rounds, and the half before the first key of each').to.equal(15_000);
  });

  it('visits as many in a step as it may, whatever it passes over, or nobody watches, between them', () => {
    const thresholds = new Thresholds<number, number>();
    for (let key = 0; key < 3_000; key++) {
      park(thresholds, key);
      if (key % 20 === 0) thresholds.setValue(3_000 + key, 5);
    }
    const walk = walkOver(thresholds, () => {}, 1_000);
    walk.begin(0.1);
    expect([walk.step(), walk.step(), walk.step()]).to.deep.equal([1_000, 1_000, 1_000]);
  });

  it('leaves out no key that stays, whatever comes and goes meanwhile, and comes to an end', () => {
    const change = fc.record({
      do: fc.constantFrom('come', 'come', 'go', 'step', 'step', 'step', 'again'),
      key: fc.nat(40),
    });
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.array(change, { maxLength: 80 }),
        (random, changes) => {
          const thresholds = new Thresholds<number, number>();
          const parked = new Map<number, LoggingOperation>();
          const come = (key: number): void => {
            if (!parked.has(key)) parked.set(key, park(thresholds, key));
          };
          for (let key = 0; key < 20; key++) come(key);
          let due = new Set(parked.keys());
          const walk = walkOver(thresholds, (key) => due.delete(key));
          walk.begin(random);
          for (const { do: what, key } of changes) {
            if (what === 'come') come(key);
            else if (what === 'step') walk.left > 0 && walk.step();
            else if (what === 'again') {
              due = new Set(parked.keys());
              walk.begin();
            } else {
              const op = parked.get(key);
              if (op !== undefined) thresholds.remove(op);
              parked.delete(key);
              due.delete(key);
            }
          }
          let steps = 0;
          while (walk.left > 0 && steps++ < 1_000) walk.step();
          expect(walk.left).to.equal(0);
          expect([...due]).to.deep.equal([]);
        },
      ),
      runs(500),
    );
  });
});
