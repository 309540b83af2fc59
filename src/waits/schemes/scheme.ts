// The interface of a timer scheme: how it keeps the tasks that are ahead, by tick.
//
// Ground rules. A scheme makes, links and frees cells of a slab that SchemeTasks owns. It may use
// the two integers of a cell (by default for the tick, see below). It knows no task, no clock and
// no milliseconds, and runs nothing. Its cursor is the tick of the last `collect`. All ticks that
// it keeps are ahead of the cursor. The head of each scheme has the four costs of the paper:
// START_TIMER is `insert`, STOP_TIMER `remove`, PER_TICK_BOOKKEEPING `collect` for one tick, and
// space. In them, n is the number of pending tasks.
//
// Source of all seven: G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels: Data
// Structures for the Efficient Implementation of a Timer Facility", SOSP 1987.
import type { Moved, Slab, Slot } from '../../slab/slab.ts';
import { highOf, lowOf, tickOf } from '../../timer/tick.ts';
import type { TimerTask } from '../../timer/timer-task.ts';

/** The cells that a scheme links. */
export type TaskSlab = Slab<TimerTask>;

export interface Scheme {
  /**
   * START_TIMER: a new slot for `tick`, behind all others of that tick. `tick` is ahead of the
   * cursor.
   */
  insert(tick: number): Slot;
  /**
   * STOP_TIMER: takes a slot out of the scheme, or out of the list that it was collected to, and
   * frees it.
   */
  remove(slot: Slot): void;
  /**
   * PER_TICK_BOOKKEEPING: sets the cursor to `tick`. Moves what is due behind the last of `due`, by
   * tick, then by insert.
   */
  collect(tick: number, due: Slot): void;
  /** The tick to look at next. Nothing is due before it. Infinity when the scheme is empty. */
  nextTick(): number;
  /** Rewrites the slots that the scheme itself remembers. */
  relocate(moved: Moved): void;
  /** Throws unless the scheme is sound. Returns what is in it. For tests. */
  check(): Census;
}

/** What an invariant check found in a scheme. */
export interface Census {
  /** The slots that it keeps. */
  readonly members: readonly Slot[];
  /** How many lists it holds in the slab. */
  readonly heads: number;
  /** The earliest tick. Infinity for none. */
  readonly earliest: number;
}

/** Makes a scheme that keeps its lists in `slab` and starts at tick `cursor`. */
export type MakeScheme = (slab: TaskSlab, cursor: number) => Scheme;

/** A new slot that is the last of `list` and carries its tick. */
export function pushTick(slab: TaskSlab, list: Slot, tick: number): Slot {
  const high = highOf(tick);
  return slab.push(list, lowOf(tick, high), high);
}

/** The tick of a slot made by {@link pushTick}. */
export function getTick(slab: TaskSlab, slot: Slot): number {
  return tickOf(slab.b(slot), slab.a(slot));
}

/** The census of a scheme whose slots carry their ticks. */
export function censusOf(slab: TaskSlab, members: readonly Slot[], heads: number): Census {
  const earliest = members.reduce(
    (least, slot) => Math.min(least, getTick(slab, slot)),
    Number.POSITIVE_INFINITY,
  );
  return { members, heads, earliest };
}
