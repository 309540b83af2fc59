// The tasks that were started last and are not filed yet: most timers are cancelled soon, and a
// young one never meets a bucket.
//
// Ground rules. It owns its rows, and `task.$slot` of the tasks in them: a number below NOT_HELD,
// where no cell of a slab is. Rows are given out in the order of add. When the last row loses its
// task, it can be given out again. Any other row then stays empty until all tasks are filed. So the
// rows are always in add order. Its owner (WheelTasks) says when the tasks are filed.
//
// Costs. add, release: O(1), with no list to link into and none to leave. It holds MAX_YOUNG tasks
// at most, so to file them all is O(1) too. A task that stays is stored twice: here, and on a
// wheel.
//
// Why: a deadline is mostly a guard around a call that is answered soon. Its task uses a row that
// is in the processor's first cache, and not a bucket that may be in none. (Netty keeps new
// timeouts in a queue until its worker looks, and computes their deadlines by then. Here a deadline
// is exact.)
import { mustHold } from '../must-hold.ts';
import { NOT_HELD, type TimerTask, tellSlot } from './timer-task.ts';

/** Enough for the calls that a server makes in a tick. Few enough to stay in the first cache. */
const MAX_YOUNG = 32;
/** The slot of the first row. The slots of the others go down from it. */
const FIRST = NOT_HELD - 1;

/** What takes the tasks over: the wheels. */
interface Files {
  file(task: TimerTask, tick: number): void;
}

export class YoungTasks {
  #tasks = emptyRows();
  readonly #ticks = new Float64Array(MAX_YOUNG);
  /** Rows from here on are empty. */
  #end = 0;

  get isFull(): boolean {
    return this.#end === MAX_YOUNG;
  }

  /** Whether `slot` is that of a row, and not of a cell. */
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
    tellSlot(task, FIRST - row);
  }

  /** Takes out a task that is in `slot`. */
  release(task: TimerTask, slot: number): void {
    const row = FIRST - slot;
    this.#tasks[row] = undefined;
    if (row === this.#end - 1) this.#end = row;
    tellSlot(task, NOT_HELD);
  }

  /** Files every task in the order of add. Then it gives out the rows anew. */
  fileIn(wheels: Files): void {
    if (this.#end === 0) return;
    for (let row = 0; row < this.#end; row++) {
      const task = this.#tasks[row];
      if (task === undefined) continue;
      try {
        wheels.file(task, this.#ticks[row]);
      } catch (error) {
        tellSlot(task, FIRST - row); // it stays young
        throw error;
      }
      this.#tasks[row] = undefined; // at once: to file the next may run out of memory
    }
    // A new array is young to the collector, as the tasks are. To store a young object in an old
    // array costs more than to make one.
    this.#tasks = emptyRows();
    this.#end = 0;
  }

  /**
   * Throws unless each task knows its row, and is for `earliestTick` or later. Returns how many
   * there are.
   */
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
