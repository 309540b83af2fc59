import { expect } from 'chai';
import fc from 'fast-check';
import { FIRST_BATCH, type Job, Scheduler } from '../../src/turns/scheduler.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';
import { unhandledDuring } from '../support/unhandled.ts';
import { runs } from './runs.ts';

interface Plan {
  /** What each of its batches takes, in ms, and whether it answers somebody. */
  readonly batches: readonly { readonly ms: number; readonly answers: boolean }[];
  readonly sliceMs: number;
  readonly isOfTimer: boolean;
  /** The turn in which it is woken. */
  readonly turn: number;
  /** The batch that throws at first. */
  readonly throwing: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  batches: fc.array(fc.record({ ms: fc.constantFrom(0, 0.25, 1, 3), answers: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  }),
  sliceMs: fc.constantFrom(2, 5, 5, 5, Number.POSITIVE_INFINITY),
  isOfTimer: fc.nat(3).map((n) => n === 0),
  turn: fc.nat(3),
  throwing: fc.oneof({ weight: 4, arbitrary: fc.constant(-1) }, fc.nat(11)),
});

/** How far a job may be ahead of another of its kind. */
const AHEAD = 1;

/** A clock that notes whether it was read. */
class ReadClock extends SlowClock {
  wasRead = false;

  override now(): number {
    this.wasRead = true;
    return super.now();
  }
}

/** Plays the plans, each as a job. A batch that is done in a wrong place fails. */
async function play(plans: readonly Plan[]): Promise<void> {
  const clock = new ReadClock();
  const scheduler = new Scheduler(clock);
  const done = plans.map(() => 0);
  /** For each that has begun: what all had done by then. */
  const begun = new Map<number, number[]>();
  const wrong: string[] = [];
  let freeInTurn = 0;
  const isLeft = (i: number): boolean => done[i] < plans[i].batches.length;
  const anyLeft = (): boolean => [...begun.keys()].some(isLeft);
  const stepOf = (i: number): ((job: Job) => boolean) => {
    const { batches, sliceMs, throwing, isOfTimer } = plans[i];
    let hasThrown = false;
    return (job) => {
      const isFree = !clock.wasRead;
      if (isFree && (isOfTimer || ++freeInTurn > FIRST_BATCH))
        wrong.push(`job ${i} begins without a reading`);
      if (!isFree && clock.now() >= job.endMs) wrong.push(`job ${i} goes on after ${sliceMs} ms`);
      clock.wasRead = false;
      for (const [other, before] of begun) {
        const like = plans[other];
        if (like.sliceMs !== sliceMs || like.isOfTimer !== isOfTimer || like.throwing >= 0) continue;
        const ahead = done[i] - before[i] - (done[other] - before[other]);
        const isLater = like.turn >= plans[i].turn;
        if (ahead > AHEAD && isLeft(other) && isLater) wrong.push(`job ${i} is ahead of ${other}: ${done}`);
      }
      if (done[i] === throwing && !hasThrown) {
        hasThrown = true;
        throw new Error('planned');
      }
      const { ms, answers } = batches[done[i]];
      clock.advance(ms);
      job.count(1, answers ? 1 : 0);
      return ++done[i] < batches.length;
    };
  };
  for (let turns = 0; begun.size < plans.length || anyLeft(); turns++) {
    const next = turn();
    clock.advance(2);
    for (const [i, { turn: begins, sliceMs, isOfTimer }] of plans.entries()) {
      if (begins !== turns) continue;
      begun.set(i, [...done]);
      scheduler.job({ sliceMs, isOfTimer, doBatch: stepOf(i) }).wake();
    }
    await next;
    await turn(); // the one that closes the slice
    freeInTurn = 0;
    expect(wrong, `in turn ${turns}`).to.deep.equal([]);
    expect(turns, 'it goes on').to.be.below(1_000);
  }
}

describe('Property: the jobs of a clock', () => {
  it('go on in turn, begin no batch after their slice, and are all done, whatever throws', async () => {
    const plans = fc.array(plan, { minLength: 1, maxLength: 6 });
    const property = fc.asyncProperty(plans, play);
    const thrown = await uncaughtDuring(0, async () => {
      const rejected = await unhandledDuring(() => fc.assert(property, runs(1_000)));
      expect([...new Set(rejected.map(String))].join()).to.be.oneOf(['', 'Error: planned']);
    });
    expect([...new Set(thrown.map(String))].join()).to.be.oneOf(['', 'Error: planned']);
  });
});
