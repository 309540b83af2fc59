import { expect } from 'chai';
import { ManualClock } from '../../../src/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { checkPurgatoryInvariants } from '../../support/checks/purgatory.ts';
import { refuses } from '../../support/refusals.ts';
import { counts, gauge } from '../../support/threshold-op.ts';

describe('ThresholdPurgatory.advance', () => {
  it('compares bigints beyond 2^53 exactly, also with numbers on the same key', () => {
    const g = gauge();
    const big = 2n ** 63n - 1n;
    g.park('big', 'p0', big);
    g.park('number', 'p0', 2 ** 53);
    g.park('next', 'p0', 2n ** 53n + 1n);
    g.park('same', 'p0', 2n ** 53n);
    expect(g.purgatory.advance('p0', 2n ** 53n)).to.equal(2);
    expect(g.log).to.deep.equal(['complete number', 'complete same']);
    expect(g.purgatory.advance('p0', big - 1n)).to.equal(1);
    expect(g.purgatory.advance('p0', big)).to.equal(1);
    for (const threshold of [Number.MAX_VALUE, 10n ** 400n, Infinity]) g.park('far', 'p0', threshold);
    expect(g.purgatory.advance('p0', Infinity), 'it reaches every threshold').to.equal(3);
  });

  it('does not look at those that wait for more', () => {
    const g = gauge();
    let looked = 0;
    for (let i = 1; i <= 10_000; i++) {
      const op = g.park(String(i), 'p0', i);
      op.tryComplete = () => {
        looked++;
        return op.forceComplete();
      };
    }
    expect(g.purgatory.advance('p0', 3)).to.equal(3);
    expect(looked).to.equal(3);
    expect(g.purgatory.numDelayed).to.equal(9_997);
  });

  it('is served in full from inside a completion, which counts what it completes itself', () => {
    const g = gauge();
    const inner: number[] = [];
    g.park('a', 'p0', 1, () => inner.push(g.purgatory.advance('p0', 3), g.purgatory.advance('p1', 1)));
    g.park('b', 'p0', 2);
    g.park('c', 'p0', 3);
    g.park('other', 'p1', 1);
    expect(g.purgatory.advance('p0', 2)).to.equal(1);
    expect(inner).to.deep.equal([2, 1]);
    expect(g.log).to.deep.equal(['complete a', 'complete b', 'complete c', 'complete other']);
  });

  it('stops where a completion sets the value back, deletes it, cancels the key or closes the purgatory', () => {
    const acts: Record<string, (g: ReturnType<typeof gauge>) => void> = {
      back: (g) => g.purgatory.advance('p0', 1),
      deleted: (g) => g.purgatory.delete('p0'),
      cancelled: (g) => g.purgatory.cancelForKey('p0'),
      closed: (g) => g.purgatory.close(),
    };
    for (const [name, act] of Object.entries(acts)) {
      const g = gauge();
      g.park('a', 'p0', 1, () => act(g));
      g.park('b', 'p0', 2);
      expect(g.purgatory.advance('p0', 2), name).to.equal(1);
      expect(g.log, name).to.deep.equal(['complete a']);
      checkPurgatoryInvariants(g.purgatory);
    }
  });

  it('completes at once what a completion parks below the value', () => {
    const g = gauge();
    g.park('a', 'p0', 1, () => g.park('b', 'p0', 5));
    expect(g.purgatory.advance('p0', 5)).to.equal(1);
    expect(g.log).to.deep.equal(['complete a', 'complete b']);
    expect(counts(g)).to.deep.equal([0, 0, 0, 0]);
  });

  it('refuses what is no value, and nothing changes', () => {
    const { purgatory } = gauge();
    purgatory.advance('p0', 1);
    expect(() => purgatory.advance('p0', '2' as never)).to.throw(
      TypeError,
      `The "value" argument must be of type number or bigint. Received type string ('2')`,
    );
    expect(() => purgatory.advance('p0', Number.NaN)).to.throw(
      RangeError,
      'The value of "value" is out of range. It must be a number that can be reached. Received NaN',
    );
    expect(purgatory.get('p0')).to.equal(1);
  });
});

describe('The values that a ThresholdPurgatory keeps', () => {
  it('are counted in the snapshot, whether somebody waits or not, until delete or close', () => {
    const purgatory = new ThresholdPurgatory('offsets', { clock: new ManualClock() });
    for (const key of ['a', 'b', 'c', 'a']) purgatory.advance(key, 1);
    expect([purgatory.keptValues, purgatory.snapshot().keptValues]).to.deep.equal([3, 3]);
    expect(purgatory.snapshot()).to.deep.include({ name: 'offsets', parked: 0, hottestKeys: [] });
    purgatory.delete('a');
    purgatory.delete('a');
    expect(purgatory.keptValues).to.equal(2);
    purgatory.close();
    expect([purgatory.advance('b', 2), purgatory.get('b'), purgatory.keptValues]).to.eql([0, undefined, 0]);
  });

  it("are those of watched keys only with keep: 'watched', and current reads the others again", async () => {
    const reads: string[] = [];
    const current = (key: string): number => {
      reads.push(key);
      return 3;
    };
    using purgatory = new ThresholdPurgatory('offsets', {
      clock: new ManualClock(),
      keep: 'watched',
      current,
    });
    purgatory.advance('a', 9);
    expect([purgatory.get('a'), purgatory.keptValues]).to.deep.equal([undefined, 0]);
    const waits = [2, 5, 7].map((least) => purgatory.awaitAtLeast('a', least, { timeoutMs: 1_000 }));
    expect(await waits[0]).to.deep.equal({ expired: false, value: 3 });
    expect([purgatory.get('a'), purgatory.keptValues]).to.deep.equal([3, 1]);
    expect(await purgatory.awaitAtLeast('a', 3, { timeoutMs: 1_000 })).to.eql({ expired: false, value: 3 });
    expect(reads, 'known while somebody waits').to.deep.equal(['a']);
    expect(purgatory.advance('a', 8), 'the last two').to.equal(2);
    expect(await Promise.all(waits.slice(1))).to.deep.equal([
      { expired: false, value: 8 },
      { expired: false, value: 8 },
    ]);
    expect(purgatory.keptValues).to.equal(0);
    expect(await purgatory.awaitAtLeast('a', 1, { timeoutMs: 1_000 })).to.eql({ expired: false, value: 3 });
    expect(reads).to.deep.equal(['a', 'a']);
    expect(purgatory.keptValues).to.equal(0);
  });

  it('have rules that the constructor checks', () => {
    const make = (options: object) => () => new ThresholdPurgatory('offsets', options);
    refuses(make({ keep: 'watched' }), 'ERR_INVALID_ARG_VALUE');
    expect(make({ keep: 'watched' })).to.throw("must not be 'watched' without options.current");
    refuses(make({ keep: 'none' }), 'ERR_INVALID_ARG_VALUE');
  });
});
