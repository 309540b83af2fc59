// The pending tasks of one timer, and the pass that takes out those that are due.
//
// It owns a slab with a cell for each task, which has the tick of its deadline.
// It knows no milliseconds and reads no clock. A scheme has the tasks that are ahead (the wheels,
// or one of waits/schemes). Two lists have the others: `due`, which the pass under way has yet to
// run, and `nextDue`, the tasks without delay, with which the next pass begins.
//
// Three ticks: cursor <= horizon <= now. The scheme stands at the cursor: all its tasks are after
// it. The horizon is the target of the pass under way, or the cursor when none is. What is added
// for a tick that is not after the horizon waits in `nextDue`, so no pass runs what it adds itself.
import { NONE, Slab, type Slot } from '../slab/slab.ts';
import type { Compactable } from '../turns/compaction.ts';
import type { TimerTask } from './timer-task.ts';

/** How the tasks that are ahead are kept. The costs are those of Varghese & Lauck (1987). */
export interface Scheme {
  /** Where it stands: all its tasks are after this tick. */
  readonly cursor: number;
  /**
   * START_TIMER: a new cell for a task, behind all others of `tick`, which is after the cursor. All
   * or nothing where memory ends.
   */
  insert(tick: number, task: TimerTask): Slot;
  /**
   * STOP_TIMER: a cell of the scheme, or of the list that it was collected to, is about to be
   * freed.
   */
  willRemove?(slot: Slot): void;
  /**
   * PER_TICK_BOOKKEEPING: moves what is due next, up to `horizon`, behind the last of `due`, by
   * tick, then by insert. The cursor moves to `horizon`, or less far if a call of bounded length
   * was not enough.
   */
  collect(horizon: number, due: Slot): void;
  /**
   * Brings the cursor to `tick`, or as near to it as an insert needs. What is due on the way stays,
   * or is moved to `late`.
   */
  catchUp(tick: number, late: Slot): void;
  /** When to look for a task that is to be inserted for `tick`: then or before. */
  lookFor(tick: number): number;
  /**
   * The tick at which to look next: no task is due before it. Infinity without a task.
   * @param isExact whether it is to be the tick of the first task, if that can be told.
   */
  nextTick(isExact?: boolean): number;
  /** Visits the cells, those of one tick in the order of insert. */
  forEach(visit: (slot: Slot, tick: number) => void): void;
}

/** Makes a scheme that has its lists in `slab` and stands at `cursor`. */
export type MakeScheme<S extends Scheme = Scheme> = (slab: Slab<TimerTask>, cursor: number) => S;

/** Due tasks that are read at a time. */
const ROW = 32;
/** With more lists than at first, and no task, a scheme still has those of a burst. */
const MAX_IDLE_LISTS = 64;
/** To file so many anew takes about 10 ms, the first time in a process (`npm run bench -- herd`). */
const MAX_REFILED = 8_192;

export class PendingTasks<S extends Scheme = Scheme> implements Compactable {
  readonly #make: MakeScheme<S>;
  /** @internal */
  slab: Slab<TimerTask>;
  /** @internal */
  due: Slot;
  /** @internal */
  nextDue: Slot;
  #scheme: S;
  /** The cells in use without a task, when the scheme was new. */
  #least: number;
  #readAhead = 0;
  horizon: number = 0;
  size: number = 0;
  /** The tick of the task that `take` returned last. */
  takenTick: number = 0;

  /**
   * @param tick the tick to start from.
   * @param tasks how many it is to hold.
   */
  constructor(make: MakeScheme<S>, tick: number, tasks = 0) {
    this.#make = make;
    this.horizon = tick;
    this.slab = new Slab<TimerTask>(tasks);
    this.due = this.slab.makeList(0, 0);
    this.nextDue = this.slab.makeList(0, 0);
    this.#scheme = make(this.slab, tick);
    this.#least = this.slab.inUse;
  }

  get scheme(): S {
    return this.#scheme;
  }

  holds(task: TimerTask, slot: number): boolean {
    return slot !== NONE && this.slab.value(slot as Slot) === task;
  }

  /** Returns a new cell for a task, whose `$slot` is the caller's to write. All or nothing. */
  add(task: TimerTask, tick: number): Slot {
    const slot =
      tick > this.horizon ? this.#scheme.insert(tick, task) : this.slab.pushTick(this.nextDue, tick, task);
    this.size++;
    return slot;
  }

  /** Frees the cell of a task, whose `$slot` is the caller's to write. */
  release(slot: number): void {
    this.#scheme.willRemove?.(slot as Slot);
    this.slab.remove(slot as Slot);
    this.size--;
  }

  /** Lets what is added next be filed as from `tick`, which is after the cursor. */
  catchUp(tick: number): void {
    const scheme = this.#scheme;
    scheme.catchUp(tick, this.nextDue);
    if (scheme.cursor > this.horizon) this.horizon = scheme.cursor;
  }

  /** True from `openPass` until there is nothing left to take. */
  get isPassOpen(): boolean {
    return this.#scheme.cursor < this.horizon || !this.slab.isEmpty(this.due);
  }

  get #isOverdue(): boolean {
    return this.isPassOpen || !this.slab.isEmpty(this.nextDue);
  }

  /**
   * Whether a pass up to `tick`, which is not before the cursor, would find anything: for a loop that
   * moves its timer by hand (`npm run bench -- idle-advance`).
   */
  hasDue(tick: number): boolean {
    if (tick > this.#scheme.cursor) this.catchUp(tick);
    return this.#scheme.cursor < tick || this.#isOverdue;
  }

  /** Begins a pass over all tasks up to `tick`. No other may be open. */
  openPass(tick: number): void {
    this.slab.splice(this.nextDue, this.due);
    if (tick <= this.horizon) return;
    this.horizon = tick;
    this.#scheme.collect(tick, this.due);
  }

  /**
   * Takes out the next task of the pass, whose `$slot` is the caller's to write. Undefined at the
   * end of the pass, and also, with `isPassOpen` true, after a long `collect` without a task.
   */
  take(): TimerTask | undefined {
    const slab = this.slab;
    if (slab.isEmpty(this.due)) {
      if (this.#scheme.cursor < this.horizon) this.#scheme.collect(this.horizon, this.due);
      if (slab.isEmpty(this.due)) return undefined;
    }
    const slot = slab.next(this.due);
    if (this.#readAhead-- === 0) this.#readRow(slot);
    const task = slab.value(slot);
    this.takenTick = slab.tick(slot);
    this.release(slot);
    return task;
  }

  /**
   * Reads a row of due tasks, from `first` on, for the processor's cache. Tasks that have been
   * pending for long lie all over memory. One by one, the processor waits for each; in a row, it
   * fetches several at a time. It compares something that is always equal, so that V8 keeps the
   * reading.
   */
  #readRow(first: Slot): void {
    const slab = this.slab;
    let read = 0;
    let slot = slab.next(first);
    while (slot !== this.due && read < ROW && slab.value(slot)?.$slot === slot) {
      read++;
      slot = slab.next(slot);
    }
    this.#readAhead = read;
  }

  /** Takes out every task, in order. Their `$slot` is the caller's to write. */
  takeAll(): TimerTask[] {
    const tasks: TimerTask[] = [];
    while (this.size > 0) {
      if (!this.isPassOpen) this.openPass(this.nextTick());
      const task = this.take();
      if (task !== undefined) tasks.push(task);
    }
    return tasks;
  }

  /** When to look for a task that is to be added for `tick`: then or before. */
  lookFor(tick: number): number {
    if (tick === Number.POSITIVE_INFINITY) return tick;
    return tick > this.horizon ? this.#scheme.lookFor(tick) : this.#scheme.cursor;
  }

  /**
   * The tick at which to look next: no task is due before it. Infinity when none is pending.
   * @param isExact whether it is to be the tick of the first task. O(tasks of a bucket) then.
   */
  nextTick(isExact = false): number {
    const tick = this.#isOverdue ? this.#scheme.cursor : this.#scheme.nextTick(isExact);
    return this.size === 0 ? Number.POSITIVE_INFINITY : tick;
  }

  /** To be called with no task left: ends the pass. */
  endPass(): void {
    if (this.#scheme.cursor < this.horizon) this.catchUp(this.horizon);
  }

  /** Whether `compact` gives memory back, at once: also the lists of a burst when no task is left. */
  get isSparse(): boolean {
    const slab = this.slab;
    if (this.size === 0 && slab.inUse > this.#least + MAX_IDLE_LISTS) return true;
    return slab.spare > 0 && this.size <= MAX_REFILED;
  }

  /**
   * Files all tasks anew, in memory of the right size, unless a pass is open. All stay where they
   * are if that memory is refused. O(tasks).
   */
  compact(): void {
    if (this.isPassOpen) return;
    const anew = new PendingTasks(this.#make, this.#scheme.cursor, this.size);
    const tasks: TimerTask[] = [];
    const slots: Slot[] = [];
    this.#forEach((slot, tick) => {
      const task = this.slab.value(slot) as TimerTask;
      tasks.push(task);
      slots.push(anew.add(task, tick));
    });
    this.slab = anew.slab;
    this.due = anew.due;
    this.nextDue = anew.nextDue;
    this.#scheme = anew.#scheme;
    this.#least = anew.#least;
    for (const [i, task] of tasks.entries()) task.$slot = slots[i];
  }

  #forEach(visit: (slot: Slot, tick: number) => void): void {
    for (const list of [this.due, this.nextDue]) this.slab.forEach(list, visit);
    this.#scheme.forEach(visit);
  }
}
