import { expect } from 'chai';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { counts, EMPTY, hall, isEmpty, Op } from '../support/op.ts';

describe('Watch keys are read once, before anything changes', () => {
  it('so an array that the first try empties, or refills, counts as it was', () => {
    for (const watched of [1, 2, 3, 4, 9]) {
      const { purgatory } = hall();
      const keys: unknown[] = Array.from({ length: watched }, (_, i) => `key ${i}`);
      const op = new Op('a', { onTry: () => void keys.splice(0, watched, 'other') });
      expect(purgatory.tryCompleteElseWatch(op, keys)).to.equal(false);
      expect(counts(purgatory)).to.deep.equal({ watched, watchedKeys: watched, numDelayed: 1 });
      expect([purgatory.watchersOf('key 0'), purgatory.watchersOf('other')]).to.deep.equal([1, 0]);
    }
  });

  it('so getters and Proxies that enter the purgatory find nothing half done', () => {
    const { purgatory, park } = hall();
    const reads: string[] = [];
    const proxy = new Proxy(['k', 'k', 'l'], {
      get(target, name) {
        if (typeof name === 'string' && /^\d$/.test(name)) {
          reads.push(name);
          park(`in the middle ${name}`, ['k', 'm']);
          purgatory.checkAndComplete('k');
        }
        return Reflect.get(target, name);
      },
    });
    const op = new Op('a');
    purgatory.tryCompleteElseWatch(op, proxy);
    expect(reads).to.deep.equal(['0', '1', '2']);
    expect(purgatory.watchersOf('l')).to.equal(1);
    expect(purgatory.watchersOf('k')).to.equal(4);
    checkPurgatoryInvariants(purgatory);
    purgatory.close();
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });
});

describe('A frozen operation', () => {
  it('is a TypeError of the language before anything is parked, be it frozen by its own first try', () => {
    const { purgatory } = hall();
    for (const op of [
      Object.freeze(new Op('a', { delayMs: 10 })),
      Object.freeze(new Op('b')),
      new Op('c', { delayMs: 10, onTry: (frozen) => Object.freeze(frozen) }),
    ]) {
      expect(() => purgatory.tryCompleteElseWatch(op as Op, ['k'])).to.throw(TypeError, /read.?only/);
    }
    isEmpty(purgatory);
  });
});
