// An array equals no other, so as a key it would be for nobody.
import { expect } from 'chai';
import { ManualClock, Purgatory } from '../../src/index.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { Semaphore } from '../../src/waits/semaphore/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { Op } from '../support/op.ts';
import { LoggingOperation } from '../support/threshold-op.ts';

const clock = new ManualClock();
const options = { timeoutMs: 60_000 };
const key = ['a', 'b'] as unknown as string;

/** The error of a call, whether it throws or rejects. */
async function errorOf(call: () => unknown): Promise<{ code?: string; message: string }> {
  try {
    await call();
  } catch (error) {
    return error as { code?: string; message: string };
  }
  throw new Error('nothing was refused');
}

describe('An array is no key', () => {
  const polls = new Purgatory('polls', { clock });
  const marks = new ThresholdPurgatory('marks', { clock });
  const locks = new Semaphore('locks', { units: 1, clock });
  const queues = new Queues<number>('queues', { clock });
  const replies = new Replies<string, number>('replies', { clock });
  const never = (): undefined => undefined;

  const calls: Record<string, [call: () => unknown, says: string]> = {
    tryCompleteElseWatch: [() => polls.tryCompleteElseWatch(new Op('op'), ['c', key]), '"keys[1]"'],
    waitFor: [() => polls.waitFor([key], never, options), 'an element of "keys"'],
    'waitFor, of many keys': [() => polls.waitFor(['c', 'd', 'e', key], never, options), '"keys[3]"'],
    follow: [() => polls.follow([key], never, options), 'an element of "keys"'],
    checkAndComplete: [() => polls.checkAndComplete(key), 'several checkAndComplete'],
    notify: [() => polls.notify(key), 'several keys are several notify'],
    cancelForKey: [() => polls.cancelForKey(key), 'several cancelForKey'],
    watchersOf: [() => polls.watchersOf(key), 'several watchersOf'],
    advance: [() => marks.advance(key, 1), 'several advance'],
    get: [() => marks.get(key), 'several get'],
    delete: [() => marks.delete(key), 'several delete'],
    awaitAtLeast: [() => marks.awaitAtLeast(key, 1, options), 'tryCompleteElseWatch'],
    thresholds: [
      () => marks.tryCompleteElseWatch(new LoggingOperation('op', 5, []), [[key, 1]]),
      'a pair of its own',
    ],
    run: [() => locks.run({ ...options, key }, never), 'nest one call in the other, in the sorted order'],
    acquire: [() => locks.acquire({ ...options, key }), 'nest one call in the other'],
    tryAcquire: [() => locks.tryAcquire({ key }), 'nest one call in the other'],
    available: [() => locks.available(key), 'several available'],
    put: [() => queues.put(key, 1), 'several keys are several put'],
    putAll: [() => queues.putAll(key, [1]), 'several put'],
    putBack: [() => queues.putBack(key, 1), 'several put'],
    take: [() => queues.take([key], options), 'an element of "keys"'],
    takeMany: [() => queues.takeMany([key], { ...options, max: 2 }), 'an element of "keys"'],
    tryTake: [() => queues.tryTake([key]), 'an element of "keys"'],
    lease: [() => queues.lease([key], { ...options, leaseMs: 5 }), 'an element of "keys"'],
    sizeOf: [() => queues.sizeOf(key), 'several sizeOf'],
    expect: [() => replies.expect(key, options), 'several expect'],
    resolve: [() => replies.resolve(key, 1), 'several calls'],
    reject: [() => replies.reject(key, new Error('no')), 'several calls'],
  };

  for (const [method, [call, says]] of Object.entries(calls)) {
    it(`${method} says what to write instead`, async () => {
      const { code, message } = await errorOf(call);
      expect(code).to.equal('ERR_INVALID_ARG_TYPE');
      expect(message).to.contain('must be one key, and no array').and.to.contain(says);
      expect([polls.numDelayed, marks.numDelayed, locks.numDelayed, queues.size, replies.size]).to.deep.equal(
        [0, 0, 0, 0, 0],
      );
    });
  }
});
