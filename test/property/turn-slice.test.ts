import { expect } from 'chai';
import fc from 'fast-check';
import { ManualClock } from '../../src/index.ts';
import { TurnSlice } from '../../src/turns/turn-slice.ts';
import type { Work } from '../../src/turns/work-queue.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';
import { unhandledDuring } from '../support/unhandled.ts';
import { runs } from './runs.ts';

interface Plan {
  /** What each of its batches takes, in ms, and whether it answers somebody. */
  readonly batches: readonly { readonly ms: number; readonly answers: boolean }[];
  readonly sliceMs: number;
  readonly begins: 'start' | 'startUnread' | 'add';
  /** The turn in which it begins. */
  readonly turn: number;
  /** The batch that throws at first. */
  readonly throwing: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  batches: fc.array(fc.record({ ms: fc.constantFrom(0, 0.2, 1, 3), answers: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  }),
  sliceMs: fc.constantFrom(2, 5, 5, 5, Number.POSITIVE_INFINITY),
  begins: fc.constantFrom('start', 'startUnread', 'add'),
  turn: fc.nat(3),
  throwing: fc.oneof({ weight: 4, arbitrary: fc.constant(-1) }, fc.nat(11)),
});

/** How far a work may be ahead of another: it began before. */
const AHEAD = 2;

/** Plays the plans, each as a work. A batch that is done in a wrong place fails. */
async function play(plans: readonly Plan[]): Promise<void> {
  const clock = new ManualClock();
  const slice = new TurnSlice(clock);
  const done = plans.map(() => 0);
  /** For each that has begun: what all had done by then. */
  const begun = new Map<number, number[]>();
  const wrong: string[] = [];
  let sliceBeganMs = 0;
  let isUnread = false;
  let isAlone = false;
  const isLeft = (i: number): boolean => done[i] < plans[i].batches.length;
  const workOf = ({ batches, sliceMs, throwing }: Plan, i: number): Work => {
    let hasThrown = false;
    return {
      sliceMs,
      steps: 1,
      mostAnswers: 64,
      mustYield: false,
      didYield() {},
      took: (ms) => void (ms >= 0 || wrong.push(`a batch took ${ms} ms`)),
      get hasAnswered() {
        return batches[done[i] - 1]?.answers ?? false;
      },
      doBatch() {
        const usedMs = clock.now() - sliceBeganMs;
        if (usedMs >= sliceMs && !isUnread) wrong.push(`work ${i} goes on after ${usedMs} ms of ${sliceMs}`);
        for (const [other, before] of begun) {
          const ahead = done[i] - before[i] - done[other];
          const isLike = plans[other].sliceMs === sliceMs && plans[other].throwing < 0; // a throw costs a turn
          const isFair = ahead <= AHEAD || !isLike || !isLeft(other);
          if (!isFair) wrong.push(`work ${i} is ahead of ${other}: ${done}`);
        }
        if (done[i] === throwing && !hasThrown) {
          hasThrown = true;
          throw new Error('planned');
        }
        clock.advance(batches[done[i]].ms);
        if (isUnread && isAlone) sliceBeganMs = clock.now();
        return ++done[i] < batches.length;
      },
    };
  };
  const begin = (each: Plan, i: number): void => {
    isAlone = ![...begun.keys()].some(isLeft);
    if (isAlone) sliceBeganMs = clock.now();
    isUnread = each.begins === 'startUnread';
    begun.set(i, [...done]);
    try {
      slice[each.begins](workOf(each, i));
    } catch (error) {
      expect((error as Error).message).to.equal('planned');
    }
    isUnread = false;
  };
  for (let turns = 0; begun.size < plans.length || [...begun.keys()].some(isLeft); turns++) {
    const next = turn(); // first: so it comes before the turn of the slice
    clock.advance(2);
    const waits = [...begun.keys()].some(isLeft);
    for (const [i, each] of plans.entries()) if (each.turn === turns) begin(each, i);
    if (waits) sliceBeganMs = clock.now(); // the turn of the slice comes now
    await next;
    expect(wrong, `in turn ${turns}`).to.deep.equal([]);
    expect(turns, 'it goes on').to.be.below(1_000);
  }
}

describe('Property: the work of a clock', () => {
  it('goes on in turn, begins no batch after its slice, and is all done, whatever throws', async () => {
    const plans = fc.array(plan, { minLength: 1, maxLength: 6 });
    const property = fc.asyncProperty(plans, play);
    const thrown = await uncaughtDuring(0, async () => {
      const rejected = await unhandledDuring(() => fc.assert(property, runs(1_000)));
      expect([...new Set(rejected.map(String))].join()).to.be.oneOf(['', 'Error: planned']);
    });
    expect([...new Set(thrown.map(String))].join()).to.be.oneOf(['', 'Error: planned']);
  });
});
