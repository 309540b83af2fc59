// The pending tasks of one timer in the order of their ticks, and the pass that takes out what is due.
//
// Ground rules. It owns `task.$slot` of the tasks it holds. It never reads a clock, runs no task and knows no milliseconds: ticks come as
// arguments (PendingTasks). Its timer (DrivenTimer) alone drives it.
//
// Where a task is:   young -> filed in a bucket -> due -> taken out;   without delay:   next -> due -> taken out.
// Young are the tasks started last (YoungTasks): none is for a tick before the first bucket's, so nobody looks for one before that.
//
// Three ticks:   cursor <= horizon <= now.   The cursor is the tick that the wheels stand at (FiledTasks). The horizon is the target of
// the pass under way, or the cursor when none is. A pass takes, in order: `due` (the tasks of the cursor's tick), then bucket by
// bucket what expires up to the horizon. A pass can be left and gone on with later. A task for a tick that is no longer ahead of
// the horizon (it has no delay) goes to `next`, which is due first in the next pass: so none that a task adds can run in the pass
// that is under way.
//
// Costs. add, release: O(1), plus O(log buckets) for the first task of a bucket. take: amortised O(1) per task and
// per wheel that the task was filed above the lowest. A jump costs the same as a step.
import { mustHold } from '../must-hold.ts';
import type { Slot } from '../slab/slab.ts';
import { FiledTasks } from './filed-tasks.ts';
import type { PendingTasks } from './pending-tasks.ts';
import { highOf, lowOf, tickOf } from './tick.ts';
import type { TimerMeter } from './timer-meter.ts';
import { NOT_HELD } from './timer-protocol.ts';
import type { TimerTask } from './timer-task.ts';
import { YoungTasks } from './young-tasks.ts';

/** Due tasks that are read ahead at a time. */
const ROW = 32;
/** Cells in use beyond which an empty timer starts afresh instead of keeping the buckets that a burst has made. */
const MAX_IDLE_CELLS = 64;

export class TimingWheels implements PendingTasks {
  readonly #young = new YoungTasks();
  readonly #filed: FiledTasks;
  #due: Slot;
  #next: Slot;
  #horizon = 0;
  #size = 0;
  #takenHigh = 0;
  #takenLow = 0;
  /** How many of the next due tasks have been read ahead. */
  #readAhead = 0;

  /** @param bits log2 of the buckets of each wheel. @param tick the tick to start from. @param meter is told of cascades. */
  constructor(bits: number, tick: number, meter: TimerMeter) {
    this.#filed = new FiledTasks(bits, tick, meter);
    this.#due = this.#filed.slab.makeList(0, 0);
    this.#next = this.#filed.slab.makeList(0, 0);
    this.#horizon = tick;
  }

  get size(): number {
    return this.#size;
  }

  holds(task: TimerTask, slot: number): boolean {
    if (YoungTasks.isRow(slot)) return this.#young.holds(task, slot);
    return slot !== NOT_HELD && this.#filed.slab.value(slot as Slot) === task;
  }

  add(task: TimerTask, tick: number): number {
    if (!(tick > this.#horizon && tick >= this.#filed.headExpiration)) return this.#addAtOnce(task, tick);
    if (this.#young.isFull) this.#fileYoung();
    this.#young.add(task, tick);
    this.#size++;
    return Number.MAX_VALUE;
  }

  /** A task that somebody must look for earlier than for any other, or in the next pass. */
  #addAtOnce(task: TimerTask, tick: number): number {
    let lookAt = this.cursor;
    if (tick > this.#horizon) {
      lookAt = this.#filed.file(task, tick);
    } else {
      const high = highOf(tick);
      this.#filed.push(this.#next, task, high, lowOf(tick, high));
    }
    this.#size++;
    return lookAt;
  }

  /** Files what is young, in the order of add. To be done before a bucket leaves the queue. */
  #fileYoung(): void {
    const young = this.#young;
    if (young.end === 0) return;
    for (let row = 0; row < young.end; row++) {
      const task = young.task(row);
      if (task === undefined) continue;
      this.#filed.file(task, young.tick(row));
      young.empty(row);
    }
    young.clear();
  }

  release(task: TimerTask, slot: number): void {
    if (YoungTasks.isRow(slot)) this.#young.release(slot);
    else this.#releaseFiled(slot as Slot);
    task.$slot = NOT_HELD;
    this.#size--;
  }

  #releaseFiled(slot: Slot): void {
    const { slab } = this.#filed;
    slab.clearValue(slot);
    slab.remove(slot);
  }

  /** Moves the wheels on to `tick` as far as nothing expires, so that what is added next is filed no higher than it must be. */
  catchUp(tick: number): void {
    if (this.isPassOpen) return;
    const filed = this.#filed;
    if (filed.headExpiration <= tick) this.#dropEmptyHeads();
    const head = filed.headExpiration;
    if (tick < head) filed.cursor = tick;
    // Beyond 2^53 the tick before the head may be no double, and round to the head: then the cursor stays.
    else if (head - 1 < head) filed.cursor = head - 1;
    this.#horizon = filed.cursor;
  }

  get cursor(): number {
    return this.#filed.cursor;
  }

  get isPassOpen(): boolean {
    return this.cursor < this.#horizon || !this.#filed.slab.isEmpty(this.#due);
  }

  /** True when there is something that no bucket waits for: a pass left open, or tasks without delay. */
  get isOverdue(): boolean {
    return this.isPassOpen || !this.#filed.slab.isEmpty(this.#next);
  }

  hasDue(tick: number): boolean {
    return this.#filed.headExpiration <= tick || this.isOverdue;
  }

  openPass(tick: number): void {
    this.#filed.slab.splice(this.#next, this.#due);
    if (tick > this.#horizon) this.#horizon = tick;
  }

  /** As in PendingTasks: a large bucket that is being cascaded is when there is no task at hand and the pass is open still. */
  take(): TimerTask | undefined {
    const filed = this.#filed;
    const { slab } = filed;
    for (;;) {
      const slot = slab.next(this.#due);
      if (slot !== this.#due) {
        if (this.#readAhead === 0) this.#readRow(slot);
        this.#readAhead--;
        const task = slab.value(slot) as TimerTask;
        this.#takenHigh = slab.b(slot);
        this.#takenLow = slab.a(slot);
        this.release(task, slot);
        return task;
      }
      this.#fileYoung();
      const head = filed.headExpiration;
      if (head > this.#horizon) {
        filed.cursor = this.#horizon;
        return undefined;
      }
      filed.expireHead(this.#due);
      if (filed.headExpiration === head && slab.isEmpty(this.#due)) return undefined;
    }
  }

  /** The tick of the task that `take` returned last. */
  get takenTick(): number {
    return tickOf(this.#takenHigh, this.#takenLow);
  }

  nextTick(): number {
    if (this.#size === 0) return Number.POSITIVE_INFINITY;
    if (this.isOverdue) return this.cursor;
    this.#dropEmptyHeads();
    return this.#filed.headExpiration;
  }

  /** Leaves a head that has tasks, which is almost always: then nothing needs to be filed. */
  #dropEmptyHeads(): void {
    if (this.#filed.hasHead) return;
    this.#fileYoung();
    this.#filed.dropEmptyHeads();
  }

  /** With no task pending: ends a pass that was left open, and gives memory back. */
  rest(): void {
    this.#filed.dropEmptyHeads();
    this.#filed.cursor = this.#horizon;
    const { slab } = this.#filed;
    if (slab.inUse <= MAX_IDLE_CELLS && !slab.isSparse) return;
    this.#filed.startAfresh();
    this.#due = this.#filed.slab.makeList(0, 0);
    this.#next = this.#filed.slab.makeList(0, 0);
  }

  takeAll(): TimerTask[] {
    const tasks: TimerTask[] = [];
    const takeRest = (): void => {
      do {
        for (let task = this.take(); task !== undefined; task = this.take()) tasks.push(task);
      } while (this.isPassOpen);
    };
    takeRest();
    while (this.#size > 0) {
      this.openPass(Math.max(this.#horizon, this.isOverdue ? this.#horizon : this.#filed.headExpiration));
      takeRest();
    }
    return tasks;
  }

  shrink(): void {
    if (!this.#filed.slab.isSparse) return;
    const moved = this.#filed.compact();
    this.#due = moved(this.#due);
    this.#next = moved(this.#next);
  }

  /**
   * Reads the due tasks from `first` on, as many as a row has. Tasks that have long been pending lie all over memory: read one by one, as
   * each is about to run, they are waited for one by one; read in a row, they are fetched side by side. (What is asked of a task holds
   * for each: it is the reading that counts.)
   */
  #readRow(first: Slot): void {
    const { slab } = this.#filed;
    let read = 1;
    let slot = slab.next(first);
    while (slot !== this.#due && read < ROW && slab.value(slot)?.$slot === slot) {
      read++;
      slot = slab.next(slot);
    }
    this.#readAhead = read;
  }

  /** For snapshots. What is young is filed first, so that every pending task is in a bucket, due or without delay. */
  get filed(): FiledTasks {
    this.#fileYoung();
    return this.#filed;
  }

  check(): number {
    const filed = this.#filed;
    mustHold(this.cursor <= this.#horizon, 'the cursor is ahead of the horizon');
    const tasks = this.#young.check(filed.headExpiration) + filed.check([this.#due, this.#next]);
    mustHold(tasks === this.#size, `${tasks} tasks are held, size says ${this.#size}`);
    // Not nextTick(): it would file what is young, and histories that are checked after each step would never have any.
    if (tasks === 0) return Number.POSITIVE_INFINITY;
    return this.isOverdue ? this.cursor : filed.headExpiration;
  }
}
