import { expect } from 'chai';
import { ManualClock } from '../../src/index.ts';
import { refuses } from '../support/refusals.ts';

/** A clock; `at` sets a wake-up that logs itself, then does `then`. */
function logged(startMs = 0) {
  const clock = new ManualClock(startMs);
  const log: string[] = [];
  const at = (label: string, ms: number, then?: () => void) =>
    clock.wakeAt(ms, () => {
      log.push(`${label}@${clock.now()}`);
      then?.();
    });
  return { clock, log, at };
}

describe('ManualClock', () => {
  it('stands at 0, or where it is told to start, and moves by advance alone, by fractions too', () => {
    expect([new ManualClock().now(), new ManualClock(1234.5).now()]).to.deep.equal([0, 1234.5]);
    const clock = new ManualClock(-5);
    const seen = [0, 15, 0.25, 0].map((ms) => {
      clock.advance(ms);
      return clock.now();
    });
    expect(seen).to.deep.equal([-5, 10, 10.25, 10.25]);
  });

  const histories: [title: string, wakeUps: Record<string, number>, steps: [ms: number, log: string][]][] = [
    [
      'steps to each in turn, which sees its time',
      { c: 130, a: 110, b: 120.5 },
      [[100, 'a@110 b@120.5 c@130']],
    ],
    ['runs those of the same time in the order they were set', { b: 105, a: 105 }, [[5, 'b@105 a@105']]],
    [
      'runs each exactly at its time, and once',
      { a: 110 },
      [
        [9.75, ''],
        [0.25, 'a@110'],
        [10, 'a@110'],
      ],
    ],
    [
      'runs what is due already at the next advance, 0 included',
      { now: 100, past: 1 },
      [[0, 'past@100 now@100']],
    ],
  ];
  for (const [title, wakeUps, steps] of histories) {
    it(`${title}, and no wake-up inside wakeAt`, () => {
      const { clock, log, at } = logged(100);
      for (const [label, ms] of Object.entries(wakeUps)) at(label, ms);
      expect(log).to.deep.equal([]);
      for (const [ms, expected] of steps) {
        clock.advance(ms);
        expect(log.join(' ')).to.equal(expected);
      }
    });
  }

  it('forgets a wake-up that is cancelled, and only that one, also by another of the same time', () => {
    const { clock, log, at } = logged();
    const first = at('first', 10);
    at('b', 10, () => last.cancel());
    const last = at('last', 10);
    first.cancel();
    first.cancel();
    clock.advance(10);
    expect(log).to.deep.equal(['b@10']);
    first.cancel();
  });

  it('runs in the same advance what a wake-up sets: at its time, or a millisecond later', () => {
    const { clock, log, at } = logged();
    at('a', 10, () => at('b', 25));
    at('c', 30, () => at('d', 30));
    clock.advance(40);
    expect(log).to.deep.equal(['a@10', 'b@25', 'c@30', 'd@31']);
  });

  it('leaves one that is due already to the next advance when the target is reached, without end', () => {
    const { clock, log, at } = logged();
    const again = () => at('a', 3, again);
    at('a', 10, again);
    clock.advance(10);
    expect(log).to.deep.equal(['a@10']);
    clock.advance(0);
    clock.advance(0);
    expect(log).to.deep.equal(['a@10', 'a@10', 'a@10']);
  });

  it('can be advanced from inside a wake-up, and never goes back after it', () => {
    const { clock, log, at } = logged();
    at('a', 10, () => clock.advance(100));
    at('b', 20);
    clock.advance(15);
    expect([log, clock.now()]).to.deep.equal([['a@10', 'b@20'], 110]);
  });

  it('refuses a time that is no finite number, and to go back, and stays where it is', () => {
    refuses(() => new ManualClock(Number.NaN), 'ERR_OUT_OF_RANGE', 'NaN');
    refuses(() => new ManualClock('7' as never), 'ERR_INVALID_ARG_TYPE', "'7'");
    const clock = new ManualClock(5);
    for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      refuses(() => clock.advance(ms), 'ERR_OUT_OF_RANGE', String(ms));
    }
    refuses(() => clock.advance('1' as never), 'ERR_INVALID_ARG_TYPE', "'1'");
    expect(clock.now()).to.equal(5);
  });
});
