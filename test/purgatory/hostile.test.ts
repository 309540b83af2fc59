import { expect } from 'chai';
import { Purgatory, SystemTimer } from '../../src/index.ts';
import { checkPurgatoryInvariants } from '../../src/purgatory/purgatory.ts';
import { checkTimerInvariants } from '../../src/timer/driven-timer.ts';
import { ListTimer } from '../support/list-timer.ts';
import { counts, EMPTY, hall, Op } from '../support/op.ts';

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

  /** Does not count its tries, as that would write a field. */
  class Quiet extends Op {
    readonly state: { ready: boolean } = { ready: false };
    readonly done: string[] = [];
    override tryComplete(): boolean {
      return this.state.ready && this.forceComplete();
    }
    override onComplete(): void {
      this.done.push('complete');
    }
    override onExpiration(): void {
      this.done.push('expire');
    }
  }

  interface End {
    /** Ends it in the middle of the others. */
    end(h: ReturnType<typeof hall>, op: Quiet): void;
    /** Whether the caller gets the TypeError; else `onError` does. */
    throws?: boolean;
    takesAll?: boolean;
  }
  const ends: Record<string, End> = {
    'an event': {
      end: ({ purgatory }, op) => {
        op.state.ready = true;
        expect(purgatory.checkAndComplete('k')).to.equal(0);
      },
    },
    'its deadline': { end: ({ clock }) => clock.advance(5_000) },
    force: { end: (_, op) => void op.forceComplete(), throws: true },
    cancel: { end: (_, op) => void op.cancel(), throws: true },
    cancelForKey: {
      end: ({ purgatory }, op) => {
        const out = purgatory.cancelForKey('k');
        expect(out.filter((each) => each === op)).to.have.length(1);
        expect(out.slice(0, -1).every(({ isPending }) => !isPending)).to.equal(true);
      },
      takesAll: true,
    },
    close: {
      end: ({ purgatory }, op) => void expect(purgatory.close()).to.include(op),
      takesAll: true,
    },
  };
  for (const [which, { end, throws = false, takesAll = false }] of Object.entries(ends)) {
    for (const moves of [0, 1, 2]) {
      it(`that was frozen while it was parked leaves by ${which} with a TypeError, after ${moves} moves in memory`, () => {
        const h = hall();
        const { timer, purgatory, park, errors } = h;
        const others = Array.from({ length: 10 }, (_, i) => park(`${i}`, [i, 'k'], { delayMs: 9_000 }));
        const crowd = Array.from({ length: moves === 0 ? 0 : 4_000 }, (_, i) =>
          park(`crowd ${i}`, [i, 'crowd'], { delayMs: 9_000 }),
        );
        const op = new Quiet('frozen', { delayMs: 5_000 });
        purgatory.tryCompleteElseWatch(op, ['k', 'l']);
        Object.freeze(op);
        if (moves > 0) for (const other of crowd.splice(0, 3_500)) other.cancel();
        if (moves > 1) for (const other of crowd.splice(0, 500)) other.cancel();
        const left = others.length + crowd.length;
        checkPurgatoryInvariants(purgatory);
        checkTimerInvariants(timer);
        if (moves === 2)
          expect(purgatory.snapshot({ top: 100 }).oldest.at(-1)?.keys).to.deep.equal(['k', 'l']);
        const failed = purgatory.snapshot().totals.failed;
        if (throws) expect(() => end(h, op)).to.throw(TypeError, /read.?only/);
        else end(h, op);
        const told = errors.filter(({ error }) => error instanceof TypeError).length;
        expect(told).to.equal(throws ? 0 : 1);
        expect(purgatory.snapshot().totals.failed - failed).to.equal(told);
        expect(op.done).to.deep.equal([]);
        const all = which === 'cancelForKey' ? crowd.length : 0;
        expect(purgatory.numDelayed).to.equal(takesAll ? all : left);
        expect(timer.size).to.equal(takesAll ? all : left);
        expect(purgatory.watchersOf('l')).to.equal(0);
        // A second end finds nothing, though the fields say that it is parked.
        const { parked, cancelled } = purgatory.snapshot().totals;
        for (const again of [() => op.cancel(), () => op.forceComplete(), () => op.run()]) {
          try {
            again();
          } catch (error) {
            expect(error).to.be.instanceOf(TypeError);
          }
        }
        expect(purgatory.numDelayed).to.equal(takesAll ? all : left);
        expect(purgatory.snapshot().totals).to.include({ parked, cancelled });
        if (!purgatory.isClosed) {
          const late = Array.from({ length: 50 }, (_, i) => park(`late ${i}`, ['late'], { delayMs: 9_000 }));
          expect(() => op.cancel()).to.throw(TypeError);
          expect(late.every(({ isPending }) => isPending)).to.equal(true);
        }
        checkPurgatoryInvariants(purgatory);
        checkTimerInvariants(timer);
        h.clock.advance(20_000);
        expect([timer.size, purgatory.numDelayed, timer.nextExpirationMs]).to.deep.equal([0, 0, undefined]);
        expect(op.done).to.deep.equal([]);
      });
    }
  }

  it('leaves with the others when its timer is closed, whose onError gets the TypeError', () => {
    const { clock } = hall();
    const errors: unknown[] = [];
    const timer = new SystemTimer({ clock, onError: (error) => errors.push(error) });
    const purgatory = new Purgatory<string, Quiet>('test', { timer });
    const ops = [10, 20, 30].map((delayMs) => new Quiet(`${delayMs}`, { delayMs }));
    for (const op of ops) purgatory.tryCompleteElseWatch(op, ['k']);
    Object.freeze(ops[1]);
    expect(timer.close()).to.deep.equal(ops);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.be.instanceOf(TypeError);
    expect([purgatory.numDelayed, timer.size, ops[2].isPending]).to.deep.equal([0, 0, false]);
  });

  it('leaves a timer from outside at its deadline', () => {
    const { clock } = hall();
    const timer = new ListTimer(clock);
    const errors: unknown[] = [];
    const purgatory = new Purgatory<string, Quiet>('test', { timer, onError: (error) => errors.push(error) });
    const op = new Quiet('a', { delayMs: 10 });
    purgatory.tryCompleteElseWatch(op, ['k']);
    Object.freeze(op);
    expect(() => op.forceComplete()).to.throw(TypeError);
    expect([purgatory.numDelayed, timer.size, op.done.length]).to.deep.equal([0, 1, 0]);
    clock.advance(10);
    expect(() => timer.advanceClock()).to.throw(TypeError);
    expect([purgatory.numDelayed, timer.size, op.done.length]).to.deep.equal([0, 0, 0]);
  });

  it('that is frozen in a timer with many others moves with them', () => {
    const { clock } = hall();
    const timer = new SystemTimer({ clock });
    const errors: unknown[] = [];
    const purgatory = new Purgatory<string, Quiet>('test', { timer, onError: (error) => errors.push(error) });
    const ops = Array.from({ length: 500 }, (_, i) => new Quiet(`${i}`, { delayMs: 100 + i * 10 }));
    for (const op of ops) purgatory.tryCompleteElseWatch(op, ['k']);
    const frozen = ops.filter((_, i) => i % 50 === 7);
    for (const op of frozen) Object.freeze(op);
    for (const op of ops) if (!frozen.includes(op)) op.cancel();
    checkPurgatoryInvariants(purgatory);
    expect(timer.size).to.equal(frozen.length);
    clock.advance(10_000);
    expect(frozen.flatMap(({ done }) => done)).to.deep.equal([]);
    expect(errors.filter((error) => error instanceof TypeError)).to.have.length(frozen.length);
    expect([timer.size, purgatory.numDelayed]).to.deep.equal([0, 0]);
  });
});
