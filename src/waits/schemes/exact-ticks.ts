// A scheme around a wheel, for ticks that are too high for the wheel's arithmetic.
//
// From 2^53 on a double skips integers, so a wheel would misfile such ticks, or step on the spot
// for ever. They are rare (285,000 years ahead, at a tick of a millisecond), but the longest delay
// leads to them.
//
// Invariants. The wheel gets only ticks below 2^53, and its cursor stops there. Higher ticks go to
// the list of scheme 1, which only compares. So equal ticks are always in the same of the two, and
// the order holds. The slots of the wheel are plain members of lists, so one `remove` serves both.
import type { Slot } from '../../slab/slab.ts';
import type { MakeScheme, Scheme } from '../../timer/pending-tasks.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { UnsortedHashedWheel } from './hashed-wheel.ts';
import { type TaskSlab, TickingScheme, type Visit } from './scheme.ts';

/** The highest tick up to which every integer is a double. */
const LAST = Number.MAX_SAFE_INTEGER;

export class ExactTicks extends TickingScheme {
  /** @internal */
  readonly wheel: Scheme;
  /** @internal */
  readonly far: Scheme;

  constructor(slab: TaskSlab, cursor: number, makeWheel: MakeScheme) {
    super(slab, cursor);
    this.wheel = makeWheel(slab, Math.min(cursor, LAST));
    this.far = new UnsortedHashedWheel(slab, cursor, 1);
  }

  override insert(tick: number, task: TimerTask): Slot {
    return (tick <= LAST ? this.wheel : this.far).insert(tick, task);
  }

  override collect(horizon: number, due: Slot): void {
    this.wheel.collect(Math.min(horizon, LAST), due);
    this.far.collect(horizon, due);
    this.cursor = horizon;
  }

  override nextTick(): number {
    return Math.min(this.wheel.nextTick(), this.far.nextTick());
  }

  override forEach(visit: Visit): void {
    this.wheel.forEach(visit);
    this.far.forEach(visit);
  }
}
