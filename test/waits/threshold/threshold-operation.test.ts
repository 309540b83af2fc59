import { expect } from 'chai';
import { LocalHub } from '../../../src/bus/transports/local-hub.ts';
import { DelayedOperation, ManualClock } from '../../../src/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/threshold-purgatory.ts';
import { checkPurgatoryInvariants } from '../../support/checks/purgatory.ts';
import { codeOf } from '../../support/code-of.ts';
import { counts, gauge, LoggingOperation } from '../../support/threshold-op.ts';
import { turn } from '../../support/turns.ts';

describe('ThresholdPurgatory.tryCompleteElseWatch', () => {
  it('completes at once and says so when all thresholds are reached already', () => {
    const g = gauge();
    g.purgatory.advance('p0', 1);
    const op = new LoggingOperation('a', 1000, g.log);
    expect(g.purgatory.tryCompleteElseWatch(op, [['p0', 1]])).to.equal(true);
    expect(g.purgatory.tryCompleteElseWatch(op, [['p0', 1]])).to.equal(false);
    g.purgatory.tryCompleteElseWatch(new LoggingOperation('b', 1000, g.log), [
      ['p0', 1],
      ['p1', 1],
    ]);
    expect([g.purgatory.watched, g.purgatory.advance('p1', 1)], 'one is reached').to.deep.equal([1, 1]);
    expect(g.log).to.deep.equal(['complete a', 'complete b']);
  });

  it('waits for the higher of two thresholds on one key, whichever comes first: behaviour 19', () => {
    for (const thresholds of [
      [
        ['p0', 5],
        ['p0', 7],
      ],
      [
        ['p0', 7],
        ['p0', 5],
      ],
    ] as [string, number][][]) {
      const g = gauge();
      g.purgatory.tryCompleteElseWatch(new LoggingOperation('a', 1_000, g.log), thresholds);
      expect([g.purgatory.watched, g.purgatory.advance('p0', 6), g.purgatory.advance('p0', 7)]).to.deep.equal(
        [1, 0, 1],
      );
    }
  });

  it('leaves all its keys by its cancel, its deadline, cancelForKey, which goes by thresholds, and close', () => {
    const g = gauge();
    const parked = (thresholds: string, delayMs = 1_000): LoggingOperation => {
      const op = new LoggingOperation(thresholds, delayMs, g.log);
      const pairs = thresholds.split(' ').map(([key, ...digits]) => [key, Number(digits.join(''))] as const);
      g.purgatory.tryCompleteElseWatch(op, pairs);
      return op;
    };
    const [high, low, tied, last] = ['x9 y1', 'y1 x3 x2', 'x3', 'z1 y5'].map((thresholds) =>
      parked(thresholds),
    );
    expect([parked('x1 z1').cancel(), counts(g)]).to.deep.equal([true, [4, 7, 3, 4]]);
    parked('z1 y2', 5);
    g.clock.advance(5);
    expect(g.log).to.deep.equal(['complete z1 y2', 'expire z1 y2']);
    expect(g.purgatory.cancelForKey('x')).to.deep.equal([low, tied, high]);
    expect(counts(g)).to.deep.equal([1, 2, 2, 1]);
    checkPurgatoryInvariants(g.purgatory);
    expect([g.purgatory.advance('y', 5), g.purgatory.delete('y'), g.purgatory.delete('y')]).to.eql([
      0,
      true,
      false,
    ]);
    expect([counts(g), g.purgatory.close(), counts(g)]).to.deep.equal([[1, 1, 1, 1], [last], [0, 0, 0, 0]]);
  });

  it('keeps an operation of its own kind that refuses for its deadline, and asks it once', () => {
    const g = gauge();
    let tries = 0;
    class Reluctant extends DelayedOperation {
      override tryComplete(): boolean {
        tries++;
        return false;
      }
      override onComplete(): void {
        g.log.push('complete');
      }
    }
    const purgatory = new ThresholdPurgatory<string, number, Reluctant>('test', { timer: g.timer });
    purgatory.tryCompleteElseWatch(new Reluctant(10), [['p0', 1]]);
    expect([purgatory.advance('p0', 1), purgatory.advance('p0', 2), tries]).to.deep.equal([0, 0, 1]);
    expect([purgatory.numDelayed, purgatory.watched, purgatory.watchedKeys]).to.deep.equal([1, 0, 0]);
    purgatory.tryCompleteElseWatch(new Reluctant(10), [['p0', 1]]);
    expect([purgatory.numDelayed, tries]).to.deep.equal([2, 2]);
    checkPurgatoryInvariants(purgatory);
    g.clock.advance(10);
    expect(g.log).to.deep.equal(['complete', 'complete']);
    expect(purgatory.numDelayed).to.equal(0);
  });

  it('behaviour 25: gives memory back in a turn of its own, and each operation is found where it is then', async () => {
    const g = gauge();
    for (let i = 1; i <= 2_000; i++) g.park(`${i}`, 'p0', i);
    const ops = ['a', 'b', 'c'].map((label, i) => g.park(label, 'p1', i));
    const places = ops.map(({ $place }) => $place);
    expect(g.purgatory.advance('p0', 2_000)).to.equal(2_000);
    expect(ops.map(({ $place }) => $place)).to.deep.equal(places);
    await turn();
    for (const [i, { $place }] of ops.entries()) expect($place).to.be.below(places[i]);
    checkPurgatoryInvariants(g.purgatory);
    ops[1].cancel();
    g.log.length = 0;
    expect(g.purgatory.advance('p1', 2)).to.equal(2);
    expect(g.log).to.deep.equal(['complete a', 'complete c']);
    expect(counts(g)).to.deep.equal([0, 0, 0, 0]);
  });

  it('refuses bad arguments before anything has changed', async () => {
    const g = gauge();
    const op = new LoggingOperation('a', 1000, g.log);
    const park = (...args: unknown[]) =>
      codeOf(() => Reflect.apply(g.purgatory.tryCompleteElseWatch, g.purgatory, args));
    expect(park({}, [['p0', 1]])).to.equal('ERR_INVALID_ARG_TYPE');
    expect(park(op)).to.equal('ERR_INVALID_ARG_TYPE');
    expect(park(op, [])).to.equal('ERR_INVALID_ARG_VALUE');
    expect(park(op, ['p0', 1])).to.equal('ERR_INVALID_ARG_TYPE');
    expect(park(op, [['p0']])).to.equal('ERR_INVALID_ARG_TYPE');
    expect(
      park(op, [
        ['p0', 1],
        ['p1', Number.NaN],
      ]),
    ).to.equal('ERR_OUT_OF_RANGE');
    expect(op.isPending).to.equal(false);
    expect(counts(g)).to.deep.equal([0, 0, 0, 0]);
    const clock = new ManualClock();
    for (const bus of [new LocalHub({ clock }).bus(), undefined]) {
      using far = new ThresholdPurgatory<unknown>('far', { clock, bus });
      const refusal = bus === undefined ? undefined : 'ERR_INVALID_ARG_TYPE'; // nobody else could name it
      expect(codeOf(() => far.tryCompleteElseWatch(op, new Map([[7, 1]])))).to.equal(refusal);
      await bus?.close();
    }
  });
});
