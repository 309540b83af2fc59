import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer } from '../../src/index.ts';
import { counts, EMPTY, hall, type Op } from '../support/op.ts';
import { rejects } from '../support/refusals.ts';
import { rejection } from '../support/rejection.ts';
import { turn, until } from '../support/turns.ts';
import { unhandledDuring } from '../support/unhandled.ts';

/** How long a deadline waits for a try that an event has begun. */
const HOLD_MS = 100;

interface Open {
  resolve(value: number | undefined): void;
  reject(reason: unknown): void;
}

/** Attempts whose promises the test settles. */
class Attempts {
  readonly open: Open[] = [];
  readonly signals: (() => AbortSignal)[] = [];

  readonly attempt = (context: { signal: AbortSignal }): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      this.open.push({ resolve, reject });
      this.signals.push(() => context.signal);
    });

  get begun(): number {
    return this.open.length;
  }
}

describe('waitFor with attempts that return promises', () => {
  const ends: Record<
    string,
    (
      h: ReturnType<typeof hall>,
      abort: AbortController,
    ) => { reason: (error: unknown) => void; expires?: true }
  > = {
    'its deadline': ({ clock }) => {
      clock.advance(50 + HOLD_MS); // it waits for the try that the event causes
      return { expires: true, reason: (reason) => expect((reason as Error).name).to.equal('TimeoutError') };
    },
    'an abort': (_, abort) => {
      abort.abort('gone');
      return { reason: (reason) => expect(reason).to.equal('gone') };
    },
    cancelForKey: ({ purgatory }) => {
      expect(purgatory.cancelForKey('k')).to.deep.equal([]);
      return { reason: (error) => expect(error).to.have.property('code', 'ERR_PURGATORY_CANCELLED') };
    },
    close: ({ purgatory }) => {
      expect(purgatory.close()).to.deep.equal([]);
      return { reason: (error) => expect(error).to.have.property('code', 'ERR_PURGATORY_CLOSED') };
    },
    'a close of a shared timer': ({ timer }) => {
      expect(timer.close()).to.deep.equal([]);
      return { reason: (error) => expect(error).to.have.property('code', 'ERR_PURGATORY_CLOSED') };
    },
  };
  for (const [which, end] of Object.entries(ends)) {
    for (const late of ['value', 'rejection', 'nothing yet'] as const) {
      it(`is settled by ${which} at once, aborts context.signal, and drops a late ${late}`, async () => {
        const h = hall();
        const abort = new AbortController();
        const attempts = new Attempts();
        const waiting = h.purgatory.waitFor(['k'], attempts.attempt, { timeoutMs: 50, signal: abort.signal });
        const settled = waiting.catch((error: unknown) => error);
        const signal = attempts.signals[0]();
        let reason: unknown;
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        h.purgatory.checkAndComplete('k');
        const unhandled = await unhandledDuring(async () => {
          const { reason: check, expires } = end(h, abort);
          expect(counts(h.purgatory)).to.deep.equal(EMPTY);
          check(reason);
          expect(signal.aborted).to.equal(true);
          if (expires) expect(await settled).to.deep.equal({ expired: true });
          else expect(await settled).to.equal(reason);
          if (late === 'value') attempts.open[0].resolve(1);
          else if (late === 'rejection') attempts.open[0].reject(new Error('late'));
          else attempts.open[0].resolve(undefined);
        });
        expect(unhandled).to.deep.equal([]);
        expect(attempts.begun).to.equal(1);
        expect(h.errors).to.deep.equal([]);
        expect(attempts.signals[0]().aborted, 'asked for late').to.equal(true);
      });
    }
  }

  it('has one signal for all attempts of a wait, which is not aborted by an answer', async () => {
    const { purgatory } = hall();
    const attempts = new Attempts();
    const waiting = purgatory.waitFor(['k'], attempts.attempt, { timeoutMs: 50 });
    attempts.open[0].resolve(undefined);
    await turn();
    purgatory.checkAndComplete('k');
    attempts.open[1].resolve(1);
    await waiting;
    expect(attempts.signals[0]()).to.equal(attempts.signals[1]());
    expect(attempts.signals[0]().aborted).to.equal(false);
  });

  it('takes any thenable for a promise, and one that throws for a rejection', async () => {
    const { purgatory } = hall();
    // biome-ignore lint/suspicious/noThenProperty: a thenable is the point.
    const thenable = { then: (resolve: (value: number) => void) => resolve(3) };
    const wait = (value: unknown): Promise<unknown> =>
      purgatory.waitFor(['k'], () => value as number, { timeoutMs: 50 });
    expect(await wait(thenable)).to.deep.equal({ expired: false, value: 3 });
    const broken = {
      // biome-ignore lint/suspicious/noThenProperty: a thenable is the point.
      then: () => {
        throw new Error('broken');
      },
    };
    expect(await rejection(wait(broken))).to.have.property('message', 'broken');
    const hostile = {
      // biome-ignore lint/suspicious/noThenProperty: a thenable is the point.
      get then() {
        throw new Error('hostile');
      },
    };
    let value: unknown;
    const parked = purgatory.waitFor(['k'], () => value as number | undefined, { timeoutMs: 50 });
    value = hostile;
    purgatory.checkAndComplete('k');
    expect(await rejection(parked)).to.have.property('message', 'hostile');
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('makes one more attempt after a first one that causes an event before it awaits', async () => {
    const { purgatory } = hall();
    let begun = 0;
    const waiting = purgatory.waitFor(
      ['k'],
      async () => {
        if (++begun === 1) for (let i = 0; i < 3; i++) purgatory.checkAndComplete('k');
        return begun > 1 ? begun : undefined;
      },
      { timeoutMs: 50 },
    );
    expect(begun).to.equal(1);
    expect(await waiting).to.deep.equal({ expired: false, value: 2 });
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('is refused where there is no place, and drops what the attempt brings then', async () => {
    // The attempt takes the last place: none at all is seen before it.
    const timer = new SystemTimer({ clock: new ManualClock(), maxPending: 1 });
    const purgatory = new Purgatory('p', { timer });
    const attempts = new Attempts();
    const attempt: typeof attempts.attempt = (context) => {
      timer.schedule(() => {}, 50);
      return attempts.attempt(context);
    };
    const refused = purgatory.waitFor(['k'], attempt, { timeoutMs: 50 });
    const signal = attempts.signals[0]();
    const unhandled = await unhandledDuring(async () => {
      await rejects(refused, 'ERR_PURGATORY_FULL');
      expect(signal.aborted).to.equal(true);
      attempts.open[0].reject(new Error('late'));
    });
    expect(unhandled).to.deep.equal([]);
  });

  it('is rejected where the attempt itself aborts the signal, or closes the purgatory, before it awaits', async () => {
    const { purgatory } = hall();
    const abort = new AbortController();
    const aborted = purgatory.waitFor(
      ['k'],
      async () => {
        abort.abort('by the attempt');
        return undefined;
      },
      { timeoutMs: 50, signal: abort.signal },
    );
    expect(await rejection(aborted)).to.equal('by the attempt');
    const closed = purgatory.waitFor(
      ['k'],
      async () => {
        purgatory.close();
        return undefined;
      },
      { timeoutMs: 50 },
    );
    await rejects(closed, 'ERR_PURGATORY_CLOSED');
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });
});

describe('behaviour 30: a try for an event that came in time, which has returned a promise', () => {
  /** The deadline of a wait comes while its tries are open. */
  const woken = (timeoutMs = 50) => {
    const h = hall();
    const attempts = new Attempts();
    let isFirst = true;
    const condition = (context: { signal: AbortSignal }): unknown => {
      if (!isFirst) return attempts.attempt(context);
      isFirst = false;
      return undefined;
    };
    const wait = h.purgatory.waitFor(['k', 'l'], condition, { timeoutMs });
    return { ...h, attempts, wait };
  };

  it('decides its wait when it settles, as long as its deadline waits for it', async () => {
    for (const lateMs of [0, HOLD_MS - 1]) {
      const { clock, purgatory, attempts, wait } = woken();
      purgatory.notify('k');
      clock.advance(50); // tries it
      for (let i = 0; i < 6; i++) await turn();
      clock.advance(lateMs);
      expect(purgatory.numDelayed).to.equal(1);
      attempts.open[0].resolve(lateMs + 1);
      expect(await wait).to.deep.equal({ expired: false, value: lateMs + 1 });
      expect(counts(purgatory)).to.deep.equal(EMPTY);
      expect(purgatory.snapshot().totals).to.include({ completed: 1, expired: 0 });
    }
  });

  it('decides it also where it began long before the deadline, or waits behind the try at parking', async () => {
    const { clock, purgatory, attempts, wait } = woken();
    purgatory.checkAndComplete('k');
    clock.advance(50);
    attempts.open[0].resolve(1);
    expect(await wait).to.deep.equal({ expired: false, value: 1 });

    const h = hall();
    const tries = new Attempts();
    const behind = h.purgatory.waitFor(['k'], tries.attempt, { timeoutMs: 50 });
    h.purgatory.checkAndComplete('k');
    h.clock.advance(50);
    tries.open[0].resolve(undefined);
    await until(() => tries.begun === 2);
    tries.open[1].resolve(2);
    expect(await behind).to.deep.equal({ expired: false, value: 2 });
  });

  it('ends it at once when it settles without an answer, and no other event has come', async () => {
    const { clock, purgatory, attempts, wait } = woken();
    purgatory.checkAndComplete('k');
    clock.advance(50);
    purgatory.checkAndComplete('l');
    attempts.open[0].resolve(undefined);
    await until(() => attempts.begun === 2);
    expect(purgatory.numDelayed).to.equal(1);
    attempts.open[1].resolve(undefined);
    expect(await wait).to.deep.equal({ expired: true });
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('holds the deadline for no longer, if it hangs, and no other one', async () => {
    const { clock, timer, purgatory, attempts, wait } = woken();
    const other = purgatory.waitFor(['l'], () => undefined, { timeoutMs: 50 });
    purgatory.checkAndComplete('k');
    const signal = attempts.signals[0]();
    clock.advance(50);
    expect(await other).to.deep.equal({ expired: true });
    clock.advance(HOLD_MS - 1);
    purgatory.notify('k'); // it is tried for no other event meanwhile
    await turn();
    expect([purgatory.numDelayed, timer.size, signal.aborted]).to.deep.equal([1, 1, false]);
    clock.advance(1);
    expect(await wait).to.deep.equal({ expired: true });
    expect([attempts.begun, signal.aborted, timer.size]).to.deep.equal([1, true, 0]);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('is not what has begun at parking', async () => {
    const { clock, purgatory } = hall();
    const hangs = (): Promise<never> => new Promise(() => {});
    const wait = purgatory.waitFor(['k'], hangs, { timeoutMs: 0 });
    clock.advance(0);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect(await wait).to.deep.equal({ expired: true });
  });

  it('is ended meanwhile by a close, a cancel or an abort as any wait', async () => {
    const ends = {
      ERR_PURGATORY_CLOSED: (purgatory: Purgatory<unknown, Op>) => purgatory.close(),
      ERR_PURGATORY_CANCELLED: (purgatory: Purgatory<unknown, Op>) => purgatory.cancelForKey('k'),
    };
    for (const [code, end] of Object.entries(ends)) {
      const { clock, timer, purgatory, wait } = woken();
      const rejected = rejection(wait);
      purgatory.checkAndComplete('k');
      clock.advance(50);
      end(purgatory);
      expect(await rejected).to.have.property('code', code);
      clock.advance(HOLD_MS);
      expect(timer.size).to.equal(0);
      expect(purgatory.snapshot().totals).to.include({ cancelled: 1, expired: 0 });
    }
  });
});
