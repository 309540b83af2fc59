import { expect } from 'chai';
import { Purgatory, type PurgatoryError, SystemTimer } from '../../src/index.ts';
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

  const ends: Record<string, (h: ReturnType<typeof hall>, op: Quiet) => void> = {
    'an event': ({ purgatory }, op) => {
      op.state.ready = true;
      expect(purgatory.checkAndComplete('k')).to.equal(0);
    },
    force: (_, op) => void expect(op.forceComplete()).to.equal(true),
    'its deadline': ({ clock }) => clock.advance(5_000),
    cancel: (_, op) => void expect(op.cancel()).to.equal(true),
    cancelForKey: ({ purgatory }, op) => void expect(purgatory.cancelForKey('k')).to.include(op),
    close: ({ purgatory }, op) => void expect(purgatory.close()).to.include(op),
  };
  for (const [which, end] of Object.entries(ends)) {
    for (const moved of [false, true]) {
      it(`that was frozen while it was parked leaves by ${which}${moved ? ' after memory has moved' : ''}, once, and that is told`, () => {
        const h = hall();
        const { timer, purgatory, park, errors } = h;
        const others = Array.from({ length: moved ? 2_000 : 2 }, (_, i) =>
          park(`${i}`, [i, 'k'], { delayMs: 9_000 }),
        );
        const op = new Quiet('frozen', { delayMs: 5_000 });
        purgatory.tryCompleteElseWatch(op, ['k', 'l']);
        Object.freeze(op);
        if (moved) for (const other of others.splice(0, 1_990)) other.cancel();
        checkPurgatoryInvariants(purgatory);
        expect(purgatory.snapshot({ top: 100 }).oldest.at(-1)?.keys).to.deep.equal(['k', 'l']);
        end(h, op);
        const isAnswered = !/cancel|close/.test(which);
        const answer = isAnswered ? ['complete', ...(which === 'its deadline' ? ['expire'] : [])] : [];
        expect(op.done).to.deep.equal(answer);
        expect(errors.map(({ error }) => (error as PurgatoryError).code)).to.include('ERR_PURGATORY_FROZEN');
        const isAlone = /ForKey|close/.test(which);
        expect(purgatory.numDelayed).to.equal(isAlone ? 0 : others.length);
        expect(timer.size).to.equal(isAlone ? 0 : others.length);
        expect(purgatory.watchersOf('l')).to.equal(0);
        expect(op.cancel()).to.equal(false);
        expect(op.forceComplete()).to.equal(!isAnswered);
        expect(op.forceComplete()).to.equal(false);
        h.clock.advance(20_000);
        expect(op.done.filter((what) => what === 'complete')).to.have.length(1);
        checkPurgatoryInvariants(purgatory);
        checkTimerInvariants(timer);
        expect(timer.size).to.equal(0);
      });
    }
  }

  it('leaves a timer from outside at its deadline at the latest', () => {
    const { clock } = hall();
    const timer = new ListTimer(clock);
    const errors: unknown[] = [];
    const purgatory = new Purgatory<string, Quiet>('test', { timer, onError: (error) => errors.push(error) });
    const op = new Quiet('a', { delayMs: 10 });
    purgatory.tryCompleteElseWatch(op, ['k']);
    Object.freeze(op);
    expect(op.forceComplete()).to.equal(true);
    expect(errors).to.have.length(1);
    expect(purgatory.numDelayed).to.equal(0);
    expect(op.done).to.deep.equal(['complete']);
  });

  it('that is frozen in a timer with many others moves with them', () => {
    const { clock } = hall();
    const timer = new SystemTimer({ clock });
    const purgatory = new Purgatory<string, Quiet>('test', { timer, onError: () => {} });
    const ops = Array.from({ length: 500 }, (_, i) => new Quiet(`${i}`, { delayMs: 100 + i * 10 }));
    for (const op of ops) purgatory.tryCompleteElseWatch(op, ['k']);
    const frozen = ops.filter((_, i) => i % 50 === 7);
    for (const op of frozen) Object.freeze(op);
    for (const op of ops) if (!frozen.includes(op)) op.cancel();
    checkPurgatoryInvariants(purgatory);
    expect(timer.size).to.equal(frozen.length);
    clock.advance(10_000);
    expect(frozen.map(({ done }) => done)).to.deep.equal(frozen.map(() => ['complete', 'expire']));
    expect([timer.size, purgatory.numDelayed]).to.deep.equal([0, 0]);
  });
});
