import { expect } from 'chai';
import { DelayedOperation, ManualClock, Purgatory, SystemTimer } from '../../src/index.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { HostClock } from '../support/host-clock.ts';
import { Op } from '../support/op.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

type Callback = 'tryComplete' | 'onComplete' | 'onExpiration' | 'none';

/** Uses the stack up in one of its callbacks. */
class Deep extends DelayedOperation {
  ready = false;
  readonly #deepIn: Callback;
  constructor(deepIn: Callback) {
    super(1_000);
    this.#deepIn = deepIn;
  }
  override tryComplete(): boolean {
    if (!this.ready) return false;
    this.#called('tryComplete');
    return this.forceComplete();
  }
  override onComplete(): void {
    this.#called('onComplete');
  }
  override onExpiration(): void {
    this.#called('onExpiration');
  }
  #called(callback: Callback): void {
    if (callback === this.#deepIn) this.#called(callback); // without end
  }
}

describe('behaviour 22: an overflow of the stack', () => {
  it('in any callback is a throw like others: the pass goes on, and so do the deadlines', () => {
    const errors: unknown[] = [];
    const clock = new ManualClock();
    const purgatory = new Purgatory('p', { clock, onError: (error) => errors.push(error) });
    const { timer } = purgatory;
    const all: Deep[] = [];
    for (const key of ['event', 'deadline']) {
      for (const deepIn of ['tryComplete', 'onComplete', 'onExpiration', 'none'] as const) {
        const operation = new Deep(deepIn);
        purgatory.tryCompleteElseWatch(operation, [key]);
        operation.ready = true;
        all.push(operation);
      }
    }
    const isSound = (): void => {
      checkPurgatoryInvariants(purgatory);
      checkTimerInvariants(timer);
    };
    expect(purgatory.checkAndComplete('event')).to.equal(3);
    expect(all.map(({ isCompleted }) => isCompleted).slice(0, 4)).to.deep.equal([false, true, true, true]);
    expect(errors).to.have.length(2);
    isSound();
    clock.advance(1_000);
    expect(errors).to.have.length(4);
    for (const error of errors) expect(error).to.be.instanceOf(RangeError);
    expect(all.every(({ isCompleted }) => isCompleted)).to.equal(true);
    isSound();
    expect(timer.size).to.equal(0);
    purgatory.close();
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
