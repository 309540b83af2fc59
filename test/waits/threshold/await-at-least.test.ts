import { expect } from 'chai';
import { ManualClock } from '../../../src/index.ts';
import { listen } from '../../../src/observe/events/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/threshold-purgatory.ts';
import { rejects } from '../../support/refusals.ts';
import { counts, gauge } from '../../support/threshold-op.ts';

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
    expect(purgatory.numDelayed).to.equal(0);
  });
});
