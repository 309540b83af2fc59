// The tasks that were started last and are not filed yet: many a timer is cancelled before it is worth a place in a bucket.
//
// Ground rules. It owns its rows and `task.$slot` of the tasks it holds: below NOT_HELD, where no cell of a slab is. Rows are given out in the
// order of add. The last is given back when its task is cancelled; any other stays empty until all are filed: so rows are in add
// order, always. It knows no wheel; its owner (TimingWheels) files what it holds before anything could ask where a task lies.
//
// Costs. add, release: O(1), with no list to link into and none to leave. It holds MAX_YOUNG tasks, so filing them all is O(1) too.
//
// Why: a deadline is mostly a guard around a call that is answered soon. Such a task meets one row here, which is at hand, and not a
// bucket that has long left the caches; one that stays is filed when others have come, and pays for two places.
// (Netty keeps new timeouts in a queue until its worker looks, and reckons them by then; here the deadline is the exact one.)
import { mustHold } from '../must-hold.ts';
import { NOT_HELD } from './timer-protocol.ts';
import type { TimerTask } from './timer-task.ts';

/** Enough for the calls that a server has under way within a tick, and few enough to stay in the first cache. */
const MAX_YOUNG = 32;
/** The slot of the first row; those of the others go down from it. */
const FIRST = NOT_HELD - 1;

export class YoungTasks {
  #tasks = emptyRows();
  readonly #ticks = new Float64Array(MAX_YOUNG);
  /** Rows from here on are empty. */
  #end = 0;

  /** Rows given out; those of cancelled tasks are empty. */
  get end(): number {
    return this.#end;
  }

  get isFull(): boolean {
    return this.#end === MAX_YOUNG;
  }

  /** Whether `slot`, of a task that some timer may hold, can only be a row's. */
  static isRow(slot: number): boolean {
    return slot < NOT_HELD;
  }

  holds(task: TimerTask, slot: number): boolean {
    return this.#tasks[FIRST - slot] === task;
  }

  /** Takes in a task that is in no timer. There must be room. */
  add(task: TimerTask, tick: number): void {
    const row = this.#end;
    this.#tasks[row] = task;
    this.#ticks[row] = tick;
    this.#end = row + 1;
    task.$slot = FIRST - row;
  }

  /** Takes out the task in `slot`; its `$slot` is the caller's to set. */
  release(slot: number): void {
    const row = FIRST - slot;
    this.#tasks[row] = undefined;
    if (row === this.#end - 1) this.#end = row;
  }

  /** Takes out the task in `row`, which has been filed: at once, as to file the next may run out of memory. The row stays given out. */
  empty(row: number): void {
    this.#tasks[row] = undefined;
  }

  /** The task in a row below `end`, unless it was taken out. */
  task(row: number): TimerTask | undefined {
    return this.#tasks[row];
  }

  /** The tick of the task in a row. */
  tick(row: number): number {
    return this.#ticks[row];
  }

  /** With every task taken out: all rows may be given out again. */
  clear(): void {
    // An array anew: it is young to the collector too, as the tasks are. To store a young object in an old array costs more than this.
    this.#tasks = emptyRows();
    this.#end = 0;
  }

  /** Throws unless each task knows its row, and is for `earliestTick` or later; returns how many there are. For tests. */
  check(earliestTick: number): number {
    let tasks = 0;
    for (const [row, task] of this.#tasks.entries()) {
      if (task === undefined) continue;
      tasks++;
      mustHold(row < this.#end && task.$slot === FIRST - row, 'a row holds a task that is not its own');
      mustHold(this.#ticks[row] >= earliestTick, 'a young task is due before the head of the queue');
    }
    return tasks;
  }
}

function emptyRows(): (TimerTask | undefined)[] {
  return new Array(MAX_YOUNG).fill(undefined);
}
