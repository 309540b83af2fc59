import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer } from '../../src/index.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { Semaphore } from '../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { timeoutSignal } from '../../src/waits/timers/index.ts';
import { Op } from '../support/op.ts';
import { rejects } from '../support/refusals.ts';

const never = (): undefined => undefined;

/** What waits by a timer that it shares. */
const waits: Record<string, (timer: SystemTimer, timeoutMs: number) => unknown> = {
  tryCompleteElseWatch: (timer, delayMs) =>
    new Purgatory<string, Op>('p', { timer }).tryCompleteElseWatch(new Op('a', { delayMs }), ['k']),
  waitFor: (timer, timeoutMs) => new Purgatory('p', { timer }).waitFor(['k'], never, { timeoutMs }),
  awaitAtLeast: (timer, timeoutMs) =>
    new ThresholdPurgatory('p', { timer }).awaitAtLeast('k', 1, { timeoutMs }),
  waitUntil: (timer, timeoutMs) =>
    new SharedWaits('p', { timer, load: async () => new Map() }).waitUntil('k', never, { timeoutMs }),
  async acquire(timer, timeoutMs) {
    const semaphore = new Semaphore('p', { timer, units: 1 });
    semaphore.tryAcquire();
    await semaphore.acquire({ timeoutMs });
  },
  take: (timer, timeoutMs) => new Queues('p', { timer }).take(['k'], { timeoutMs }),
  expect: (timer, timeoutMs) => new Replies('replies', { timer }).expect('k', { timeoutMs }),
  lease: (timer, timeoutMs) => new Queues('p', { timer }).lease(['k'], { timeoutMs, leaseMs: 5 }),
  call: (timer, timeoutMs) =>
    new Replies('replies', { timer }).call('k', { timeoutMs }, () => expect.fail('it was sent')),
  timeoutSignal: (timer, timeoutMs) => timeoutSignal(timeoutMs, { timer }),
};

describe('A timer that is closed', () => {
  for (const [name, wait] of Object.entries(waits)) {
    for (const timeoutMs of [5, Number.POSITIVE_INFINITY]) {
      it(`is refused by ${name} with a deadline of ${timeoutMs} (behaviour 11)`, async () => {
        const timer = new SystemTimer({ clock: new ManualClock() });
        timer.close();
        await rejects((async () => wait(timer, timeoutMs))(), 'ERR_PURGATORY_CLOSED');
      });
    }
  }
});
