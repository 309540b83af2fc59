import { expect } from 'chai';
import { ManualClock } from '../../../src/index.ts';
import { ThresholdPurgatory, type ThresholdPurgatoryOptions } from '../../../src/waits/threshold/index.ts';
import { refuses } from '../../support/refusals.ts';
import { rejection } from '../../support/rejection.ts';
import { turn } from '../../support/turns.ts';
import { unhandledDuring } from '../../support/unhandled.ts';

interface Read {
  readonly signal: AbortSignal;
  readonly answer: (value: number) => void;
}

/** A purgatory whose reads end when the test says so. */
function reading(options: ThresholdPurgatoryOptions = {}): {
  clock: ManualClock;
  purgatory: ThresholdPurgatory;
  reads: Read[];
  errors: unknown[];
} {
  const clock = new ManualClock();
  const reads: Read[] = [];
  const errors: unknown[] = [];
  const purgatory = new ThresholdPurgatory('feed', {
    clock,
    current: (_key, { signal }) => new Promise((answer) => reads.push({ signal, answer })),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { clock, purgatory, reads, errors };
}

describe('A current that hangs', () => {
  it('has failed after loadTimeoutMs: its signal aborts, it is called again, its answer is dropped', async () => {
    const { clock, purgatory, reads, errors } = reading({ loadTimeoutMs: 300 });
    const wait = purgatory.awaitAtLeast('topic', 5, { timeoutMs: 60_000 });
    await turn();
    clock.advance(299);
    expect([errors.length, reads[0].signal.aborted]).to.deep.equal([0, false]);
    clock.advance(1);
    await turn();
    expect(errors.map(String)).to.deep.equal([
      'PurgatoryError [ERR_PURGATORY_TIMEOUT]: current of the key topic has not ended within 300 ms',
    ]);
    expect(reads[0].signal.reason).to.equal(errors[0]);
    reads[0].answer(9);
    clock.advance(63);
    await turn();
    expect([purgatory.get('topic'), reads.length]).to.deep.equal([undefined, 2]);
    reads[1].answer(5);
    expect(await wait).to.deep.equal({ expired: false, value: 5 });
    await turn();
    clock.advance(10_000);
    await turn();
    expect([errors.length, reads[1].signal.aborted]).to.deep.equal([1, false]);
    purgatory.close();
  });

  it('has 10 s if loadTimeoutMs is left out, and any time if it is Infinity', async () => {
    for (const [loadTimeoutMs, failed] of [
      [undefined, 1],
      [Number.POSITIVE_INFINITY, 0],
    ] as const) {
      const { clock, purgatory, errors } = reading({ loadTimeoutMs });
      const wait = rejection(purgatory.awaitAtLeast('topic', 5, { timeoutMs: 60_000 }));
      clock.advance(9_999);
      await turn();
      expect(errors).to.have.length(0);
      clock.advance(1);
      await turn();
      expect(errors).to.have.length(failed);
      purgatory.close();
      await wait;
    }
  });

  it('is aborted by close, and what it throws or answers then goes nowhere', async () => {
    for (const answers of [true, false]) {
      let aborts = 0;
      const { purgatory, errors } = reading({
        current: (_key, { signal }) =>
          new Promise((answer, fail) => {
            signal.addEventListener('abort', () => {
              aborts++;
              if (answers) answer(5);
              else fail(signal.reason);
            });
          }),
      });
      const wait = rejection(purgatory.awaitAtLeast('topic', 5, { timeoutMs: 60_000 }));
      await turn();
      const unhandled = await unhandledDuring(() => purgatory.close());
      expect(await wait).to.have.property('code', 'ERR_PURGATORY_CLOSED');
      expect(unhandled).to.deep.equal([]);
      expect([aborts, errors, purgatory.keptValues]).to.deep.equal([1, [], 0]);
    }
  });

  it('is not one that returns a value at once', async () => {
    const { purgatory, errors } = reading({ loadTimeoutMs: 300, current: () => 7 });
    expect(await purgatory.awaitAtLeast('topic', 5, { timeoutMs: 1_000 })).to.deep.equal({
      expired: false,
      value: 7,
    });
    expect(errors).to.deep.equal([]);
    purgatory.close();
  });

  it('refuses a loadTimeoutMs that is no time', () => {
    refuses(() => reading({ loadTimeoutMs: 0 }), 'ERR_OUT_OF_RANGE');
    refuses(() => reading({ loadTimeoutMs: '5' as unknown as number }), 'ERR_INVALID_ARG_TYPE');
  });
});
