import { channel } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { type DelayedOperation, ManualClock, Purgatory, PurgatoryError } from '../../../src/index.ts';
import type { AbstractPurgatory } from '../../../src/purgatory/abstract-purgatory.ts';
import { Queues } from '../../../src/waits/queues/index.ts';
import { Semaphore } from '../../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { checkPurgatoryInvariants } from '../../support/checks/purgatory.ts';
import { checkTimerInvariants } from '../../support/checks/timer.ts';
import { Op } from '../../support/op.ts';
import { rejection } from '../../support/rejection.ts';
import { turn } from '../../support/turns.ts';
import { uncaughtDuring } from '../../support/uncaught.ts';
import { unhandledDuring } from '../../support/unhandled.ts';

interface Subject {
  readonly purgatory: Pick<
    AbstractPurgatory<string, DelayedOperation>,
    'close' | 'cancelForKey' | 'numDelayed' | '$parked' | 'timer'
  >;
  /** A wait on the key, which ends by itself after 50 ms. */
  wait(signal?: AbortSignal): Promise<unknown> | undefined;
  /** What the waits wait for: their conditions hold if it is ready. */
  event(isReady: boolean): void;
  /** What was tried though it had been taken out. */
  readonly triedLate?: unknown[];
}

/** Gets the signals that the library gives to user code. */
type OnSignal = (signal: AbortSignal) => void;

const KEY = 'k';
const timeoutMs = 50;

const subjects: Record<string, (clock: ManualClock, onSignal: OnSignal) => Subject> = {
  'waits of a Purgatory': (clock, onSignal) => {
    const purgatory = new Purgatory('p', { clock, onError: () => {} });
    const triedLate: unknown[] = [];
    let isReady = false;
    let waits = 0;
    return {
      purgatory,
      triedLate,
      wait(signal) {
        const throwsOnce = ++waits % 3 === 0;
        const isAsync = waits % 2 === 0;
        let isFirst = true;
        const condition = (context: { signal: AbortSignal }): unknown => {
          if (context.signal.aborted) triedLate.push(context);
          if (isFirst) onSignal(context.signal);
          else if (throwsOnce) throw new Error('a condition');
          isFirst = false;
          return isAsync ? Promise.resolve(isReady) : isReady;
        };
        return purgatory.waitFor([KEY, 'other'], condition, { timeoutMs, signal });
      },
      event(ready) {
        isReady = ready;
        purgatory.checkAndComplete(KEY);
        purgatory.notify('other');
      },
    };
  },
  'operations of a Purgatory': (clock) => {
    const purgatory = new Purgatory<string, Op>('p', { clock, onError: () => {} });
    const triedLate: unknown[] = [];
    let isReady = false;
    let parked = 0;
    return {
      purgatory,
      triedLate,
      wait() {
        const fails = ++parked % 3 === 0;
        const onTry = (op: Op): void => {
          if (op.tries > 1 && !op.isPending) triedLate.push(op);
          if (fails && op.tries > 1) throw new Error('a try');
          op.ready = isReady;
        };
        const keys = parked % 4 === 0 ? ['lone'] : [KEY, 'other'];
        purgatory.tryCompleteElseWatch(new Op('op', { delayMs: timeoutMs, onTry }), keys);
        return undefined;
      },
      event(ready) {
        isReady = ready;
        for (const key of ['lone', KEY]) purgatory.checkAndComplete(key);
        purgatory.notify('other');
      },
    };
  },
  'waits of a ThresholdPurgatory': (clock) => {
    const purgatory = new ThresholdPurgatory<string>('p', { clock });
    let level = 0;
    return {
      purgatory,
      wait: (signal) => purgatory.awaitAtLeast(KEY, level + 10, { timeoutMs, signal }),
      event(ready) {
        level += ready ? 10 : 1;
        purgatory.advance(KEY, level);
      },
    };
  },
  'waits of a Semaphore': (clock) => {
    const purgatory = new Semaphore('p', { units: 1, clock });
    let held = purgatory.tryAcquire({ key: KEY });
    return {
      purgatory,
      wait: (signal) => purgatory.acquire({ key: KEY, timeoutMs, signal }).then((permit) => permit.release()),
      event(ready) {
        if (!ready) return;
        held?.release();
        held = undefined;
        held = purgatory.tryAcquire({ key: KEY });
      },
    };
  },
  'waits of Queues': (clock) => {
    const purgatory = new Queues<number>('p', { clock });
    return {
      purgatory,
      wait: (signal) => purgatory.take([KEY, 'other'], { timeoutMs, signal }),
      event: (ready) => void (ready && purgatory.put(KEY, 1)),
    };
  },
  'waits of SharedWaits': (clock, onSignal) => {
    let isReady = false;
    let loads = 0;
    const purgatory = new SharedWaits<boolean>('p', {
      clock,
      loadTimeoutMs: 30,
      async load(keys, { signal }) {
        onSignal(signal);
        if (++loads % 3 === 0) throw new Error('a load');
        if (loads % 4 === 0) return new Promise(() => {});
        return new Map(keys.map((key) => [key, isReady]));
      },
    });
    let waits = 0;
    return {
      purgatory,
      wait(signal) {
        const throwsAtLast = ++waits % 3 === 0;
        const condition = (ready: boolean | undefined): boolean => {
          if (throwsAtLast) throw new Error('a condition');
          return ready === true;
        };
        return purgatory.waitUntil(KEY, condition, { timeoutMs: waits % 4 === 0 ? 0 : timeoutMs, signal });
      },
      event(ready) {
        isReady = ready;
        purgatory.changed(KEY);
      },
    };
  },
};

/** Counts waits that have begun, and those of them that have settled. */
class Waits {
  readonly #subject: Subject;
  controller = new AbortController();
  begun = 0;
  settled = 0;
  /** The operations that a listener has taken out: they are never completed. */
  readonly taken: unknown[] = [];

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  begin(): void {
    const settled = (): void => void this.settled++;
    const wait = this.#subject.wait(this.controller.signal);
    if (wait === undefined) return;
    this.begun++;
    wait.then(settled, settled);
  }
}

const acts: Record<string, (subject: Subject, waits: Waits) => void> = {
  'closes it': ({ purgatory }, { taken }) => void taken.push(...purgatory.close()),
  'closes its timer': ({ purgatory }, { taken }) => void taken.push(...purgatory.timer.close()),
  'cancels the key': ({ purgatory }, { taken }) => void taken.push(...purgatory.cancelForKey(KEY)),
  'aborts the waits': (_, waits) => waits.controller.abort(),
  'parks another': (_, waits) => waits.begin(),
  'causes an event': (subject) => subject.event(true),
};

const channels = [
  ...['parked', 'tried', 'error', 'completed', 'expired', 'cancelled', 'rejected'].map(
    (name) => `purgatory:operation:${name}`,
  ),
  ...['purgatory:load:answered', 'purgatory:load:failed', 'purgatory:task:run', 'purgatory:task:error'],
];
const CANCELLED = 'ERR_PURGATORY_CANCELLED';
const ABORT = 'the abort of a signal that user code gets';

/** After a close, calls are refused. */
function ifOpen(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof PurgatoryError)) throw error;
  }
}

/** Waits that end in each of the ways, one way after the other. */
async function live(subject: Subject, clock: ManualClock, waits: Waits): Promise<void> {
  const ways: (() => unknown)[] = [
    () => subject.event(true),
    () => clock.advance(timeoutMs),
    () => waits.controller.abort(),
    () => subject.purgatory.cancelForKey(KEY),
    () => subject.purgatory.close(),
  ];
  for (const end of ways) {
    waits.controller = new AbortController();
    for (let i = 0; i < 4; i++) ifOpen(() => waits.begin());
    await turn();
    ifOpen(() => subject.event(false));
    await turn();
    ifOpen(end);
    for (let i = 0; i < 4; i++) {
      await turn();
      clock.advance(timeoutMs);
    }
    checkPurgatoryInvariants(subject.purgatory);
  }
  for (let i = 0; i < 5; i++) await turn();
}

describe('behaviour 13: a listener that acts', () => {
  for (const [which, make] of Object.entries(subjects)) {
    for (const [what, act] of Object.entries(acts)) {
      for (const name of [...channels, ABORT]) {
        it(`and ${what} at ${name} does no harm to ${which}`, async () => {
          const clock = new ManualClock();
          let acted = 0;
          const heard = (): void => {
            if (acted++ < 5) ifOpen(() => act(subject, waits));
          };
          const subject = make(clock, (signal) => signal.addEventListener('abort', heard));
          const waits = new Waits(subject);
          channel(name).subscribe(heard);
          let unhandled: unknown[] = [];
          try {
            const uncaught = await uncaughtDuring(0, async () => {
              unhandled = await unhandledDuring(() => live(subject, clock, waits));
            });
            expect([...unhandled, ...uncaught]).to.deep.equal([]);
          } finally {
            channel(name).unsubscribe(heard);
          }
          expect(waits.settled).to.equal(waits.begun);
          expect(waits.taken.filter((op) => op instanceof Op && op.isCompleted)).to.deep.equal([]);
          expect(subject.triedLate ?? []).to.deep.equal([]);
          expect(subject.purgatory.numDelayed).to.equal(0);
          checkTimerInvariants(subject.purgatory.timer);
        });
      }
    }
  }

  it('and cancels the wait that it is shown has it rejected as cancelled, whatever waits', async () => {
    const cancel = (message: unknown): void => {
      (message as { operation: DelayedOperation }).operation.cancel();
    };
    for (const [which, make] of Object.entries(subjects)) {
      channel('purgatory:operation:parked').subscribe(cancel);
      try {
        const wait = make(new ManualClock(), () => {}).wait();
        if (wait !== undefined) expect(await rejection(wait), which).to.include({ code: CANCELLED });
      } finally {
        channel('purgatory:operation:parked').unsubscribe(cancel);
      }
    }
  });
});
