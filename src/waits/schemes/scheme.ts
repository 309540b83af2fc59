// What the seven schemes of G. Varghese and T. Lauck ("Hashed and Hierarchical Timing Wheels", SOSP
// 1987) have in common: how each has the tasks that are ahead, by tick.
//
// A scheme makes, links and frees cells of a slab that PendingTasks owns. It knows no clock and no
// milliseconds, and runs nothing. The head of each scheme has the four costs of the paper:
// START_TIMER is `insert`, STOP_TIMER `willRemove`, PER_TICK_BOOKKEEPING `collect` for one tick,
// and space; n is the number of pending tasks. SystemTimer jumps from bucket to bucket. A scheme
// does the bookkeeping of every tick, in a loop, and before an insert too: so its cursor, the tick
// of the last `collect`, is the present tick. The tasks that are due on the way wait for the next
// pass. From 2^53 on a double skips integers: such a tick, 285,000 years ahead at a tick of a ms, is
// filed as the one before.
import type { Slab, Slot } from '../../slab/slab.ts';
import type { Scheme } from '../../timer/pending-tasks.ts';
import type { TimerTask } from '../../timer/timer-task.ts';

/** The cells that a scheme links. */
export type TaskSlab = Slab<TimerTask>;

/** Visits a slot and its tick. */
export type Visit = (slot: Slot, tick: number) => void;

export abstract class TickingScheme implements Scheme {
  protected readonly slab: TaskSlab;
  cursor: number = 0;

  constructor(slab: TaskSlab, cursor: number) {
    this.slab = slab;
    this.cursor = cursor;
  }

  /** A new slot for `tick`, which is below 2^53. */
  abstract file(tick: number, task: TimerTask): Slot;
  /** Collects all that is due up to `horizon`, and moves the cursor there. */
  abstract collect(horizon: number, due: Slot): void;
  abstract nextTick(): number;
  abstract forEach(visit: Visit): void;

  insert(tick: number, task: TimerTask): Slot {
    return this.file(this.lookFor(tick), task);
  }

  catchUp(tick: number, late: Slot): void {
    this.collect(tick, late);
  }

  /** The tick as which `tick` is filed. */
  lookFor(tick: number): number {
    return Math.min(tick, Number.MAX_SAFE_INTEGER);
  }
}
