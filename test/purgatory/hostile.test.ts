import { expect } from 'chai';
import { ManualClock, SystemTimer } from '../../src/index.ts';
import { checkPurgatoryInvariants } from '../../src/purgatory/purgatory.ts';
import { counts, EMPTY, hall, Op } from '../support/op.ts';
import { turn } from '../support/turns.ts';

describe('Watch keys are read once, before anything changes', () => {
  it('so an array that the first try empties, or refills, counts as it was', () => {
    const { purgatory, log } = hall();
    const keys: unknown[] = ['k', 'l'];
    const op = new Op('a', {
      log,
      onTry: () => {
        keys.length = 0;
        keys.push('other');
      },
    });
    expect(purgatory.tryCompleteElseWatch(op, keys)).to.equal(false);
    expect(counts(purgatory)).to.deep.equal({ watched: 2, watchedKeys: 2, numDelayed: 1 });
    expect([purgatory.watchersOf('k'), purgatory.watchersOf('other')]).to.deep.equal([1, 0]);
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

  it('so an iterator that gives nothing is refused like an empty array', () => {
    const { purgatory } = hall();
    const keys = Object.assign(['k', 'l', 'm', 'n'], { *[Symbol.iterator]() {} });
    expect(() => purgatory.tryCompleteElseWatch(new Op('a'), keys as never))
      .to.throw(TypeError)
      .with.property('code', 'ERR_INVALID_ARG_VALUE');
  });
});

describe('A frozen operation', () => {
  it('is refused before anything is parked, be it frozen by its own first try', () => {
    const { timer, purgatory } = hall();
    for (const op of [
      Object.freeze(new Op('a', { delayMs: 10 })),
      Object.freeze(new Op('b')),
      new Op('c', { delayMs: 10, onTry: (frozen) => Object.freeze(frozen) }),
    ]) {
      expect(() => purgatory.tryCompleteElseWatch(op as Op, ['k'])).to.throw(TypeError);
    }
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect(timer.size).to.equal(0);
  });

  // Nothing is promised for one that is frozen later.
  const ends: Record<string, (h: ReturnType<typeof hall>) => void> = {
    'an event': ({ purgatory }) => void purgatory.checkAndComplete('k'),
    'their deadline': ({ clock }) => clock.advance(5_000),
    cancelForKey: ({ purgatory }) => void purgatory.cancelForKey('k'),
    close: ({ purgatory }) => void purgatory.close(),
  };
  for (const [which, end] of Object.entries(ends)) {
    for (const moves of [false, true]) {
      it(`that was frozen while it was parked harms no other: they leave by ${which}, ${moves ? '' : 'not '}moved in memory`, async () => {
        const clock = new ManualClock();
        const timer = new SystemTimer({ clock, onError() {} }); // gets its TypeError
        const h = { ...hall({ timer }), clock };
        const crowd = Array.from({ length: moves ? 1_000 : 0 }, (_, i) => h.park(`${i}`, ['crowd']));
        const ops = Array.from({ length: 9 }, (_, i) => h.park(`${i}`, [i, 'k'], { delayMs: 5_000 }));
        Object.freeze(ops[4]);
        for (const op of crowd) op.cancel();
        if (moves) await turn();
        for (const op of ops.filter((each) => !Object.isFrozen(each))) op.ready = true;
        end(h);
        const left = ops.filter((op) => op.isPending && !Object.isFrozen(op));
        expect(left).to.deep.equal([]);
        expect(ops[4].isCompleted).to.equal(false);
      });
    }
  }
});
