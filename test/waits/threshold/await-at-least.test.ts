import { expect } from 'chai';
import { ManualClock } from '../../../src/index.ts';
import { listen } from '../../../src/observe/events/index.ts';
import { ThresholdOperation } from '../../../src/waits/threshold/threshold-operation.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/threshold-purgatory.ts';
import { rejects } from '../../support/refusals.ts';
import { counts, gauge } from '../../support/threshold-op.ts';
import { turn } from '../../support/turns.ts';

const soon = { timeoutMs: 1000 };

describe('ThresholdPurgatory.awaitAtLeast', () => {
  it('waits on for its deadline when a listener deletes the value before it is tried', async () => {
    const clock = new ManualClock();
    using purgatory = new ThresholdPurgatory<string>('feed', { clock });
    const stop = listen('purgatory:operation:tried', () => purgatory.delete('topic'));
    try {
      const wait = purgatory.awaitAtLeast('topic', 5, soon);
      expect(purgatory.advance('topic', 5)).to.equal(0);
      expect(purgatory.numDelayed).to.equal(1);
      clock.advance(1000);
      expect(await wait).to.deep.equal({ expired: true });
    } finally {
      stop();
    }
  });

  it('resolves at once, without parking, when the threshold is reached already', async () => {
    const g = gauge({ maxParked: 1 });
    g.purgatory.advance('p0', 10);
    const waits = [10, 9, -1].map((threshold) => g.purgatory.awaitAtLeast('p0', threshold, { timeoutMs: 0 }));
    expect(counts(g)).to.deep.equal([0, 0, 0, 0]);
    for (const wait of waits) expect(await wait).to.deep.equal({ expired: false, value: 10 });
  });

  it('rejects bad arguments with the codes of Node and a message that names the value', async () => {
    const { purgatory } = gauge();
    const bad = (code: string, received: string, ...args: unknown[]): Promise<void> =>
      rejects(Reflect.apply(purgatory.awaitAtLeast, purgatory, args), code, received);
    await bad('ERR_INVALID_ARG_TYPE', "'10'", 'p0', '10', soon);
    await bad('ERR_INVALID_ARG_TYPE', 'undefined', 'p0', undefined, soon);
    await bad('ERR_OUT_OF_RANGE', 'NaN', 'p0', Number.NaN, soon);
    await bad('ERR_INVALID_ARG_TYPE', 'undefined', 'p0', 1);
    await bad('ERR_INVALID_ARG_TYPE', 'undefined', 'p0', 1, {});
    await bad('ERR_OUT_OF_RANGE', 'NaN', 'p0', 1, { timeoutMs: Number.NaN });
    await bad('ERR_INVALID_ARG_TYPE', 'Object', 'p0', 1, { timeoutMs: 1, signal: {} });
    expect(purgatory.numDelayed).to.equal(0);
  });
});

describe('The current value of a ThresholdPurgatory', () => {
  const waiting = { timeoutMs: 60_000 };

  it('is read when somebody waits and no value is known', async () => {
    const purgatory = new ThresholdPurgatory<string>('feed', { current: () => 41 });
    const result = await purgatory.awaitAtLeast('topic', 40, { timeoutMs: 5_000 });
    expect(result).to.deep.equal({ expired: false, value: 41 });
    expect(purgatory.get('topic')).to.equal(41);
    purgatory.close();
  });

  it('is read once for all who wait, and not when it is known', async () => {
    const asked: string[] = [];
    const answers: ((value: number) => void)[] = [];
    const current = (key: string): Promise<number> => {
      asked.push(key);
      return new Promise((resolve) => answers.push(resolve));
    };
    using purgatory = new ThresholdPurgatory<string>('feed', { clock: new ManualClock(), current });
    const waits = Array.from({ length: 100 }, () => purgatory.awaitAtLeast('topic', 40, waiting));
    await turn();
    waits.push(purgatory.awaitAtLeast('topic', 41, waiting));
    answers[0](41);
    expect((await Promise.all(waits)).every((result) => !result.expired && result.value === 41)).to.equal(
      true,
    );
    const later = purgatory.awaitAtLeast('topic', 42, waiting);
    await turn();
    expect(asked).to.deep.equal(['topic']);
    purgatory.advance('topic', 42);
    expect(await later).to.deep.equal({ expired: false, value: 42 });
  });

  it('is read for an operation too, for each of its keys that has no value', async () => {
    const asked: string[] = [];
    const current = (key: string): number => asked.push(key) * 10;
    using purgatory = new ThresholdPurgatory<string>('feed', { clock: new ManualClock(), current });
    purgatory.advance('b', 1);
    const both = new Both();
    expect(
      purgatory.tryCompleteElseWatch(both, [
        ['a', 5],
        ['b', 5],
        ['c', 5],
      ]),
    ).to.equal(false);
    await turn();
    expect(asked).to.deep.equal(['a', 'c']);
    purgatory.advance('b', 5);
    expect(both.isCompleted).to.equal(true);
  });

  it('is read after a value that fell: another writer may have been faster', async () => {
    let asked = 0;
    const current = async (): Promise<number> => {
      asked++;
      return 6;
    };
    using purgatory = new ThresholdPurgatory<string>('feed', { clock: new ManualClock(), current });
    purgatory.advance('topic', 6);
    purgatory.advance('topic', 5);
    await turn();
    expect([asked, purgatory.get('topic')]).to.deep.equal([0, 5]); // nobody waits
    expect(await purgatory.awaitAtLeast('topic', 6, waiting)).to.deep.equal({ expired: false, value: 6 });
    const first = purgatory.awaitAtLeast('topic', 7, waiting);
    await turn();
    expect(asked).to.equal(1); // known, and not in doubt any more
    purgatory.advance('topic', 5); // somebody waits: it is read at once
    await turn();
    expect([asked, purgatory.get('topic')]).to.deep.equal([2, 6]);
    purgatory.advance('topic', 7);
    expect(await first).to.deep.equal({ expired: false, value: 7 });
    purgatory.advance('topic', 5);
    purgatory.delete('topic');
    expect(await purgatory.awaitAtLeast('topic', 6, waiting)).to.deep.equal({ expired: false, value: 6 });
    expect(asked).to.equal(3);
  });

  it('is read again after a value that fell while it could not be read, when the next one waits', async () => {
    const clock = new ManualClock();
    let isAway = true;
    using purgatory = new ThresholdPurgatory<string>('feed', {
      clock,
      onError: () => {},
      current: async () => {
        if (isAway) throw new Error('away');
        return 6;
      },
    });
    purgatory.advance('topic', 6);
    purgatory.advance('topic', 5);
    const expired = purgatory.awaitAtLeast('topic', 6, { timeoutMs: 10 });
    await turn();
    clock.advance(10);
    expect(await expired).to.deep.equal({ expired: true });
    clock.advance(2_000); // the retry is over: nobody waits
    isAway = false;
    expect(await purgatory.awaitAtLeast('topic', 6, waiting)).to.deep.equal({ expired: false, value: 6 });
  });

  it('is not in doubt any more once the key was deleted, be it in the middle of a read that fails', async () => {
    const clock = new ManualClock();
    const reads: ((error: Error) => void)[] = [];
    const current = (): Promise<number> => new Promise((_, reject) => reads.push(reject));
    using purgatory = new ThresholdPurgatory<string>('feed', { clock, current, onError: () => {} });
    purgatory.advance('topic', 6);
    purgatory.advance('topic', 5);
    const expired = purgatory.awaitAtLeast('topic', 6, { timeoutMs: 10 });
    clock.advance(10);
    expect(await expired).to.deep.equal({ expired: true });
    purgatory.delete('topic');
    reads[0](new Error('away'));
    await turn();
    clock.advance(2_000); // the retry is over: nobody waits
    purgatory.advance('topic', 5);
    const wait = purgatory.awaitAtLeast('topic', 6, waiting);
    await turn();
    expect(reads).to.have.length(1);
    purgatory.advance('topic', 6);
    expect(await wait).to.deep.equal({ expired: false, value: 6 });
  });

  it('is read again after a value that fell during a read whose waiters have left', async () => {
    const answers: ((value: number) => void)[] = [];
    const current = (): Promise<number> => new Promise((resolve) => answers.push(resolve));
    const clock = new ManualClock();
    using purgatory = new ThresholdPurgatory<string>('feed', { clock, current });
    const expired = purgatory.awaitAtLeast('topic', 6, { timeoutMs: 10 });
    clock.advance(10);
    expect(await expired).to.deep.equal({ expired: true });
    purgatory.advance('topic', 5);
    purgatory.advance('topic', 4);
    const wait = purgatory.awaitAtLeast('topic', 6, waiting);
    answers[0](3); // older than what is known
    await turn();
    expect(answers).to.have.length(2);
    answers[1](6);
    expect(await wait).to.deep.equal({ expired: false, value: 6 });
  });

  it('keeps a value that fell when the log was truncated', async () => {
    using purgatory = new ThresholdPurgatory<string>('feed', { clock: new ManualClock(), current: () => 5 });
    purgatory.advance('topic', 6);
    purgatory.advance('topic', 5);
    const wait = purgatory.awaitAtLeast('topic', 6, waiting);
    await turn();
    expect([purgatory.get('topic'), purgatory.numDelayed]).to.deep.equal([5, 1]);
    purgatory.advance('topic', 6);
    expect(await wait).to.deep.equal({ expired: false, value: 6 });
  });

  it('may be null or undefined for a key that has none, until it is advanced', async () => {
    const asked: string[] = [];
    const current = (key: string): null | undefined => {
      asked.push(key);
      return key === 'empty' ? null : undefined;
    };
    const onError = (error: unknown): never => expect.fail(`${error}`);
    using purgatory = new ThresholdPurgatory('feed', { clock: new ManualClock(), current, onError });
    const waits = ['empty', 'unknown'].map((key) => purgatory.awaitAtLeast(key, 1, waiting));
    await turn();
    expect(asked).to.deep.equal(['empty', 'unknown']);
    purgatory.advance('empty', 1);
    purgatory.advance('unknown', 2);
    expect(await Promise.all(waits)).to.deep.equal([1, 2].map((value) => ({ expired: false, value })));
  });

  for (const [value, shown] of [
    ['41', "type string ('41')"],
    [Number.NaN, 'type number (NaN)'],
    [false, 'type boolean (false)'],
  ]) {
    it(`is reported when it is ${value} of type ${typeof value}`, async () => {
      const errors: unknown[] = [];
      const current = async (): Promise<number> => value as number;
      const onError = (error: unknown): unknown => errors.push(error);
      using purgatory = new ThresholdPurgatory('feed', { clock: new ManualClock(), current, onError });
      purgatory.awaitAtLeast('topic', 40, waiting).catch(() => {});
      await turn();
      expect(errors).to.have.length(1);
      expect(errors[0]).to.be.an.instanceOf(TypeError).with.property('code', 'ERR_INVALID_RETURN_VALUE');
      expect((errors[0] as Error).message).to.equal(
        'Expected a number or a bigint, or undefined or null for none, to be returned from the ' +
          `"current" function. Received ${shown}`,
      );
    });
  }

  it('is read again after failures that onError gets, as loads are, and not sooner for who comes then', async () => {
    const clock = new ManualClock();
    const errors: string[] = [];
    let asked = 0;
    using purgatory = new ThresholdPurgatory<string>('feed', {
      clock,
      onError: (error) => errors.push((error as Error).message),
      current: async () => {
        if (++asked <= 3) throw new Error(`failure ${asked}`);
        return 41;
      },
    });
    const first = purgatory.awaitAtLeast('topic', 40, waiting);
    await turn();
    expect(errors).to.deep.equal(['failure 1']);
    const second = purgatory.awaitAtLeast('topic', 40, waiting);
    for (const [i, pauseMs] of [50, 100, 200].entries()) {
      clock.advance(pauseMs - 1);
      await turn();
      expect(asked).to.equal(i + 1);
      clock.advance(pauseMs * 0.25 + 2); // the deadline is rounded up to a tick
      await turn();
      expect(asked).to.equal(i + 2);
    }
    expect(await Promise.all([first, second])).to.eql([41, 41].map((value) => ({ expired: false, value })));
    expect(errors).to.deep.equal(['failure 1', 'failure 2', 'failure 3']);
  });

  it('is not asked for again when nobody waits any more, and begins with the shortest pause then', async () => {
    const clock = new ManualClock();
    let asked = 0;
    using purgatory = new ThresholdPurgatory<string>('feed', {
      clock,
      onError: () => {},
      current: () => {
        asked++;
        throw new Error('down');
      },
    });
    const wait = async (): Promise<void> => {
      const controller = new AbortController();
      const waited = purgatory.awaitAtLeast('topic', 40, { ...waiting, signal: controller.signal });
      await turn();
      controller.abort(new Error('gone'));
      await waited.catch(() => {});
    };
    for (let i = 1; i <= 8; i++) {
      await wait();
      expect(asked).to.equal(i);
      clock.advance(63);
      await turn();
      expect(asked).to.equal(i);
    }
  });
});

class Both extends ThresholdOperation {
  constructor() {
    super(60_000);
  }
  override onComplete(): void {}
}
