// The timing wheels of one timer, with the DelayQueue of their buckets (Varghese & Lauck 1987,
// scheme 7; Kafka's TimingWheel).
//
// Ground rules. It owns the slab with every cell in it, and nobody else writes a cell. The lists of
// the slab are the buckets of the wheels, and two more:
//   due    the tasks of the cursor's tick that have yet to run, in add order
//   next   the tasks without delay: they are due in the next pass
// The cursor is the tick that the wheels stand at. No queued bucket expires at or before the
// cursor, so the highest digit in which a tick differs from the cursor names the wheel. It owns
// `task.$slot` of the tasks in its lists. It reads no clock and runs no task.
//
// Costs. file: O(1), plus O(log buckets) for the first task of a bucket. takeDue, release: O(1).
// expireHead: O(log buckets), plus O(1) for each task that cascades. A task cascades once for each
// wheel that it was filed above the lowest. No empty bucket is ever stepped through.
import { Slab, type Slot } from '../slab/slab.ts';
import { DelayQueue } from './delay-queue.ts';
import { highOf, LOW_SPAN, lowOf, tickOf } from './tick.ts';
import { NOT_HELD, type TimerTask, tellSlot } from './timer-task.ts';
import type { TimerTaskList } from './timer-task-list.ts';
import { TimingWheel } from './timing-wheel.ts';
import { checkTimingWheels } from './timing-wheels-check.ts';

/** Is called after a cascade: the level and index of the bucket, and how many tasks were moved. */
export type DidCascade = (level: number, bucket: number, tasks: number) => void;

/** Tasks that one step moves from an overflow bucket: they take a small part of a slice. */
const MAX_MOVES = 1_024;
/** Due tasks that are read at a time. */
const ROW = 32;
/** With more cells in use, wheels without tasks are large: they still have the buckets of a burst. */
const MAX_IDLE_CELLS = 64;
/** What the sentinel of a bucket's list has in `a`. In `b` it has the index of the bucket. */
const QUEUED = 1;
const NOT_QUEUED = 0;

export class TimingWheels {
  readonly #didCascade: DidCascade;
  readonly #slab = new Slab<TimerTask>();
  readonly #buckets: TimerTaskList[] = [];
  #due = this.#slab.makeList(0, 0);
  #next = this.#slab.makeList(0, 0);
  /** The cursor, and its two halves: to make them of each other would cost 2 % of a start. */
  #cursor = 0;
  #cursorHigh = 0;
  #cursorLow = 0;
  /** The tick of the task that `takeDue` returned last. */
  takenTick: number = 0;
  /** For snapshots, which change nothing. */
  readonly lowest: TimingWheel;
  /** As `lowest`. */
  readonly queue: DelayQueue = new DelayQueue();
  /** How many of the first due tasks have been read. */
  #readAhead = 0;

  /**
   * @param bits log2 of the buckets of each wheel.
   * @param tick the tick to start from.
   */
  constructor(bits: number, tick: number, didCascade: DidCascade) {
    this.#didCascade = didCascade;
    this.lowest = new TimingWheel(bits, 0, this.#slab, this.#buckets);
    this.cursor = tick;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** Moves to a tick that is before the expiration of every queued bucket. */
  set cursor(tick: number) {
    this.#cursor = tick;
    this.#cursorHigh = highOf(tick);
    this.#cursorLow = lowOf(tick, this.#cursorHigh);
  }

  /** The earliest expiration of a queued bucket, which may be empty by now. Infinity for none. */
  get headExpiration(): number {
    return this.queue.headExpiration;
  }

  /** Whether the head of the queue has a task. */
  get hasHead(): boolean {
    const { head } = this.queue;
    return head !== null && !this.#slab.isEmpty(head.list);
  }

  /**
   * The earliest tick of a filed task. It is in the head of the queue, as no two buckets overlap,
   * and the head must not be empty. O(tasks of that bucket).
   */
  firstTick(): number {
    const slab = this.#slab;
    const { expiration, list } = this.queue.head as TimerTaskList;
    let first = Number.POSITIVE_INFINITY;
    for (let slot = slab.next(list); slot !== list && first > expiration; slot = slab.next(slot)) {
      first = Math.min(first, tickOf(slab.b(slot), slab.a(slot)));
    }
    return first;
  }

  get hasDue(): boolean {
    return !this.#slab.isEmpty(this.#due);
  }

  get hasNext(): boolean {
    return !this.#slab.isEmpty(this.#next);
  }

  /** Whether `task` is in one of the lists, in the cell `slot`. */
  holds(task: TimerTask, slot: number): boolean {
    return slot !== NOT_HELD && this.#slab.value(slot as Slot) === task;
  }

  /** Files a task for a tick ahead of the cursor, or not at all when the stack overflows. */
  file(task: TimerTask, tick: number): void {
    // The tick is near in most cases: then its high half is the cursor's, and nothing is divided.
    const near = lowOf(tick, this.#cursorHigh);
    const isNear = near < LOW_SPAN;
    const high = isNear ? this.#cursorHigh : highOf(tick);
    const low = isNear ? near | 0 : lowOf(tick, high);
    const list = this.lowest.listFor(high, low, this.#cursorHigh, this.#cursorLow);
    const slot = this.#push(list, task, high, low);
    if (this.#slab.a(list) === QUEUED) return;
    try {
      this.#enqueue(list, high, low);
    } catch (error) {
      this.release(task, slot);
      throw error;
    }
  }

  /** Adds a task without delay, whose `tick` is the present one, to those of the next pass. */
  fileForNext(task: TimerTask, tick: number): void {
    const high = highOf(tick);
    this.#push(this.#next, task, high, lowOf(tick, high));
  }

  #push(list: Slot, task: TimerTask, high: number, low: number): Slot {
    const slot = this.#slab.pushValue(list, low, high, task);
    tellSlot(task, slot);
    return slot;
  }

  /** The cell of a task, NOT_HELD if there is none. For one that could not be told. O(capacity). */
  find(task: TimerTask): number {
    let found = NOT_HELD;
    this.#slab.forEachValue((value, slot) => {
      if (value === task) found = slot;
    });
    return found;
  }

  /** Takes out a task that is in the cell `slot`. */
  release(task: TimerTask, slot: number): void {
    this.#slab.remove(slot as Slot);
    this.#slab.clearValue(slot as Slot);
    tellSlot(task, NOT_HELD);
  }

  /** Makes the tasks without delay due, after the tasks that are due already. */
  expireNext(): void {
    this.#slab.splice(this.#next, this.#due);
  }

  /**
   * Expires the head of the queue. The tasks of the cursor's tick, which is then the head's
   * expiration, become due. Of a large overflow bucket, one step moves MAX_MOVES tasks. Until that
   * bucket is empty it stays queued and the cursor stays before it. So a task that is added to its
   * range meanwhile comes after its older tasks.
   */
  expireHead(): void {
    const slab = this.#slab;
    const bucket = this.queue.head as TimerTaskList;
    const moved = bucket.shift === 0 ? 0 : this.#cascade(bucket);
    if (bucket.shift === 0 || slab.isEmpty(bucket.list)) {
      this.#dequeue();
      this.cursor = bucket.expiration;
      if (bucket.shift === 0) slab.splice(bucket.list, this.#due);
    }
    if (moved > 0) this.#didCascade(this.lowest.levelOf(bucket), bucket.index, moved);
  }

  /** Moves tasks of `bucket` to where they belong when the cursor is at its expiration. */
  #cascade(bucket: TimerTaskList): number {
    const slab = this.#slab;
    const nowHigh = highOf(bucket.expiration);
    const nowLow = lowOf(bucket.expiration, nowHigh);
    let moved = 0;
    for (let slot = slab.next(bucket.list); slot !== bucket.list; slot = slab.next(bucket.list)) {
      if (moved === MAX_MOVES) break;
      moved++;
      const low = slab.a(slot);
      const high = slab.b(slot);
      if (low === nowLow && high === nowHigh) {
        slab.moveTo(this.#due, slot);
      } else {
        const finer = this.lowest.listFor(high, low, nowHigh, nowLow);
        if (slab.a(finer) !== QUEUED) this.#enqueue(finer, high, low);
        slab.moveTo(finer, slot);
      }
    }
    return moved;
  }

  /** Takes out the first due task. Undefined when none is due. */
  takeDue(): TimerTask | undefined {
    const slab = this.#slab;
    const slot = slab.next(this.#due);
    if (slot === this.#due) return undefined;
    if (this.#readAhead === 0) this.#readRow(slot);
    this.#readAhead--;
    const task = slab.value(slot) as TimerTask;
    this.takenTick = tickOf(slab.b(slot), slab.a(slot));
    this.release(task, slot);
    return task;
  }

  /**
   * Reads a row of due tasks, from `first` on. Tasks that have been pending for long lie all over
   * memory. One by one, the processor waits for each. In a row, it fetches them side by side. The
   * comparison always holds: only its reading counts.
   */
  #readRow(first: Slot): void {
    const slab = this.#slab;
    let read = 1;
    let slot = slab.next(first);
    while (slot !== this.#due && read < ROW && slab.value(slot)?.$slot === slot) {
      read++;
      slot = slab.next(slot);
    }
    this.#readAhead = read;
  }

  /** Takes buckets without tasks from the head of the queue. Their queueing has paid for it. */
  dropEmptyHeads(): void {
    const queue = this.queue;
    for (let head = queue.head; head !== null && this.#slab.isEmpty(head.list); head = queue.head) {
      this.#dequeue();
    }
  }

  #enqueue(list: Slot, high: number, low: number): void {
    const bucket = this.#buckets[this.#slab.b(list)];
    this.queue.enqueue(bucket, bucket.startOf(high, low));
    this.#slab.setA(list, QUEUED);
  }

  #dequeue(): void {
    this.#slab.setA(this.queue.dequeue().list, NOT_QUEUED);
  }

  /** With no task in any list: moves to `tick`. */
  rest(tick: number): void {
    this.dropEmptyHeads();
    this.cursor = tick;
  }

  /** With no task in any list: whether new wheels would take much less memory. */
  get isLarge(): boolean {
    return this.#slab.inUse > MAX_IDLE_CELLS || this.#slab.isSparse;
  }

  /** Gives memory back after a burst. It may change the slot of every task. O(1), amortised. */
  shrink(): void {
    if (!this.#slab.isSparse) return;
    const moved = this.#slab.compact();
    this.#due = moved(this.#due);
    this.#next = moved(this.#next);
    for (const bucket of this.#buckets) {
      bucket.list = moved(bucket.list);
      this.lowest.didMove(bucket);
    }
    this.#slab.forEachValue((task, slot) => {
      tellSlot(task, slot);
    });
  }

  /** How many tasks are in `list`, counted up to `max`: O(max). */
  count(list: Slot, max: number): number {
    const slab = this.#slab;
    let tasks = 0;
    for (let slot = slab.next(list); slot !== list && tasks < max; slot = slab.next(slot)) tasks++;
    return tasks;
  }

  /** As checkTimingWheels. */
  check(): number {
    return checkTimingWheels({
      slab: this.#slab,
      buckets: this.#buckets,
      lowest: this.lowest,
      queue: this.queue,
      cursor: this.cursor,
      others: [this.#due, this.#next],
      isQueued: ({ list }) => this.#slab.a(list) === QUEUED,
    });
  }
}
