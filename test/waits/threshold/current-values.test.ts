import { expect } from 'chai';
import { ManualClock } from '../../../src/index.ts';
import {
  ThresholdOperation,
  ThresholdPurgatory,
  type ThresholdPurgatoryOptions,
} from '../../../src/waits/threshold/index.ts';
import { rejection } from '../../support/rejection.ts';
import { turn } from '../../support/turns.ts';

interface Read {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly answer: (value?: number | null) => Promise<void>;
  readonly fail: (message: string) => Promise<void>;
}

/** A purgatory whose reads end when the test says so, unless it has a `current` of its own. */
function reading(options: ThresholdPurgatoryOptions = {}) {
  const clock = new ManualClock();
  const reads: Read[] = [];
  const errors: Error[] = [];
  const purgatory = new ThresholdPurgatory('feed', {
    clock,
    current: (key, { signal }) =>
      new Promise<number>((resolve, reject) => {
        const answer: Read['answer'] = async (value) => {
          resolve(value as number);
          await turn();
        };
        const fail: Read['fail'] = async (message) => {
          reject(new Error(message));
          await turn();
        };
        reads.push({ key, signal, answer, fail });
      }),
    onError: (error) => errors.push(error as Error),
    ...options,
  });
  const wait = (least: number, timeoutMs = 60_000): Promise<unknown> =>
    purgatory.awaitAtLeast('topic', least, { timeoutMs });
  const advance = (...values: number[]): void => {
    for (const value of values) purgatory.advance('topic', value);
  };
  return { clock, purgatory, reads, errors, wait, advance };
}

const reached = (value: number) => ({ expired: false, value });
const EXPIRED = { expired: true };

class Answer extends ThresholdOperation {
  override onComplete(): void {}
}

describe('The current value of a ThresholdPurgatory', () => {
  it('is read once for all who wait while none is known, and not when it is', async () => {
    const { purgatory, reads, wait, advance } = reading();
    const waits = Array.from({ length: 100 }, () => wait(40));
    await turn();
    waits.push(wait(41));
    await reads[0].answer(41);
    expect(await Promise.all(waits)).to.deep.equal(waits.map(() => reached(41)));
    const later = wait(42);
    await turn();
    expect([reads.map(({ key }) => key), purgatory.get('topic')]).to.deep.equal([['topic'], 41]);
    advance(42);
    expect(await later).to.deep.equal(reached(42));
  });

  it('is read for an operation too, for each of its keys that has no value', async () => {
    const asked: string[] = [];
    const { purgatory } = reading({ current: (key) => asked.push(key) * 10 });
    purgatory.advance('b', 1);
    const all = new Answer(60_000);
    purgatory.tryCompleteElseWatch(
      all,
      ['a', 'b', 'c'].map((key) => [key, 5] as const),
    );
    await turn();
    expect([asked, all.isCompleted]).to.deep.equal([['a', 'c'], false]);
    purgatory.advance('b', 5);
    expect(all.isCompleted).to.equal(true);
  });

  it('is read after a value that fell: another writer may have been faster', async () => {
    let asked = 0;
    const { purgatory, wait, advance } = reading({ current: async () => ++asked && 6 });
    advance(6, 5);
    await turn();
    expect([asked, purgatory.get('topic')]).to.deep.equal([0, 5]); // nobody waits
    expect(await wait(6)).to.deep.equal(reached(6));
    const first = wait(7);
    await turn();
    expect(asked).to.equal(1); // known, and not in doubt any more
    advance(5); // somebody waits: it is read at once
    await turn();
    expect([asked, purgatory.get('topic')]).to.deep.equal([2, 6]);
    advance(7);
    expect(await first).to.deep.equal(reached(7));
    advance(5);
    purgatory.delete('topic');
    expect([await wait(6), asked]).to.deep.equal([reached(6), 3]);
  });

  it('is read again after a value that fell while it could not be read, when the next one waits', async () => {
    const { clock, reads, wait, advance } = reading();
    advance(6, 5);
    const expired = wait(6, 10);
    await reads[0].fail('away');
    clock.advance(10);
    expect(await expired).to.deep.equal(EXPIRED);
    clock.advance(2_000); // the retry is over: nobody waits
    const next = wait(6);
    await reads[1].answer(6);
    expect(await next).to.deep.equal(reached(6));
  });

  it('is not in doubt any more once the key was deleted, be it in the middle of a read that fails', async () => {
    const { clock, purgatory, reads, wait, advance } = reading();
    advance(6, 5);
    const expired = wait(6, 10);
    clock.advance(10);
    expect(await expired).to.deep.equal(EXPIRED);
    purgatory.delete('topic');
    await reads[0].fail('away');
    clock.advance(2_000); // the retry is over: nobody waits
    advance(5);
    const next = wait(6);
    await turn();
    expect(reads).to.have.length(1);
    advance(6);
    expect(await next).to.deep.equal(reached(6));
  });

  it('is read again after a value that fell during a read whose waiters have left', async () => {
    const { clock, purgatory, reads, wait, advance } = reading();
    const expired = wait(6, 10);
    clock.advance(10);
    expect(await expired).to.deep.equal(EXPIRED);
    advance(5, 4);
    const next = wait(6);
    await reads[0].answer(3); // older than what is known
    expect(purgatory.get('topic')).to.equal(4);
    expect(reads).to.have.length(2);
    await reads[1].answer(6);
    expect(await next).to.deep.equal(reached(6));
  });

  it('keeps a value that fell when the log was truncated', async () => {
    const { purgatory, wait, advance } = reading({ current: () => 5 });
    advance(6, 5);
    const next = wait(6);
    await turn();
    expect([purgatory.get('topic'), purgatory.numDelayed]).to.deep.equal([5, 1]);
    advance(6);
    expect(await next).to.deep.equal(reached(6));
  });

  it('may be null or undefined for a key that has none, until it is advanced', async () => {
    for (const none of [null, undefined]) {
      const { reads, errors, wait, advance } = reading();
      const next = wait(1);
      await turn();
      await reads[0].answer(none);
      advance(1);
      expect([await next, errors, reads.length]).to.deep.equal([reached(1), [], 1]);
    }
  });

  it('is reported when it is neither a number nor a bigint', async () => {
    for (const [value, shown] of [
      ['41', "type string ('41')"],
      [Number.NaN, 'type number (NaN)'],
      [false, 'type boolean (false)'],
    ]) {
      const { purgatory, errors, wait } = reading({ current: async () => value as number });
      const closed = rejection(wait(40));
      await turn();
      expect(errors.map(String)).to.deep.equal([
        'TypeError [ERR_INVALID_RETURN_VALUE]: Expected a number or a bigint, or undefined or null for ' +
          `none, to be returned from the "current" function. Received ${shown}`,
      ]);
      purgatory.close();
      await closed;
    }
  });

  it('is read again after failures that onError gets, as loads are, and not sooner for who comes then', async () => {
    const { clock, reads, errors, wait } = reading();
    const waits = [wait(40)];
    await turn();
    for (const [i, pauseMs] of [50, 100, 200].entries()) {
      await reads[i].fail(`failure ${i}`);
      waits.push(wait(40));
      clock.advance(pauseMs - 1);
      await turn();
      expect(reads).to.have.length(i + 1);
      clock.advance(pauseMs * 0.25 + 2); // the deadline is rounded up to a tick
      await turn();
      expect(reads).to.have.length(i + 2);
    }
    await reads[3].answer(41);
    expect(await Promise.all(waits)).to.deep.equal(waits.map(() => reached(41)));
    expect(errors.map(({ message }) => message)).to.deep.equal(['failure 0', 'failure 1', 'failure 2']);
  });

  it('is not asked for again when nobody waits any more, and begins with the shortest pause then', async () => {
    const { clock, purgatory, reads } = reading();
    for (let i = 0; i < 8; i++) {
      const stop = new AbortController();
      const options = { timeoutMs: 60_000, signal: stop.signal };
      const waited = rejection(purgatory.awaitAtLeast('topic', 40, options));
      await turn();
      await reads[i].fail('down');
      stop.abort();
      await waited;
      clock.advance(63);
      await turn();
      expect(reads).to.have.length(i + 1);
    }
  });
});

describe('A current that hangs', () => {
  it('has failed after loadTimeoutMs: its signal aborts, it is called again, its answer is dropped', async () => {
    const { clock, purgatory, reads, errors, wait } = reading({ loadTimeoutMs: 300 });
    const next = wait(5);
    await turn();
    clock.advance(299);
    expect([errors.length, reads[0].signal.aborted]).to.deep.equal([0, false]);
    clock.advance(1);
    await turn();
    expect(errors.map(String)).to.deep.equal([
      'PurgatoryError [ERR_PURGATORY_TIMEOUT]: current of the key topic has not ended within 300 ms',
    ]);
    expect(reads[0].signal.reason).to.equal(errors[0]);
    void reads[0].answer(9);
    clock.advance(63);
    await turn();
    expect([purgatory.get('topic'), reads.length]).to.deep.equal([undefined, 2]);
    await reads[1].answer(5);
    expect(await next).to.deep.equal(reached(5));
    clock.advance(10_000);
    await turn();
    expect([errors.length, reads[1].signal.aborted]).to.deep.equal([1, false]);
  });

  it('has 10 s if loadTimeoutMs is left out, and any time if it is Infinity', async () => {
    for (const loadTimeoutMs of [undefined, Number.POSITIVE_INFINITY]) {
      const { clock, purgatory, errors, wait } = reading({ loadTimeoutMs });
      const closed = rejection(wait(5));
      clock.advance(9_999);
      await turn();
      expect(errors).to.have.length(0);
      clock.advance(1);
      await turn();
      expect(errors).to.have.length(loadTimeoutMs === undefined ? 1 : 0);
      purgatory.close();
      await closed;
    }
  });

  it('is aborted by close, and what it throws then goes nowhere', async () => {
    const { purgatory, reads, errors, wait } = reading();
    const closed = rejection(wait(5));
    await turn();
    purgatory.close();
    expect(reads[0].signal.aborted).to.equal(true);
    await reads[0].fail('aborted');
    expect(await closed).to.have.property('code', 'ERR_PURGATORY_CLOSED');
    expect(errors).to.deep.equal([]);
  });
});
