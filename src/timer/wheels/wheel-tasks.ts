// The pending tasks of a SystemTimer, and the pass that takes out those that are due.
//
// Ground rules. It owns a slab with a cell for each task, and `task.$slot` of the tasks. Its timer
// (DrivenTimer) alone calls it, as PendingTasks describes. A cell has the tick of its task, in two
// halves (a: low, b: high), and is on a list:
//
//   a bucket   of its wheels (TimingWheels), which link their buckets in the same slab
//   due        the tasks of the cursor's tick that have yet to run, in add order
//   next       the tasks without delay: they are due in the next pass
//
// Three ticks: cursor <= horizon <= now. The cursor is the tick that the wheels stand at: no queued
// bucket expires at or before it, so the highest digit in which a tick differs from it names the
// wheel. The horizon is the target of the pass under way, or the cursor when there is none. A pass
// takes the due tasks first, and then, bucket by bucket, what expires up to the horizon. The timer
// can leave a pass and go on with it later. A task for a tick that is not ahead of the horizon has
// no delay. It waits in `next` for the next pass, so a task that a pass adds never runs in that
// pass.
//
// Costs. add, release: O(1), plus O(log buckets) for the first task of a bucket. take: amortised
// O(1) for each task and for each wheel that it was filed above the lowest.
import { mustHold } from '../../base/must-hold.ts';
import { Slab, type Slot } from '../../slab/slab.ts';
import type { PendingTasks } from '../pending-tasks.ts';
import { highOf, LOW_SPAN, lowOf, tickOf } from '../tick.ts';
import { NOT_HELD, type TimerTask, tellSlot } from '../timer-task.ts';
import { type DidCascade, TimingWheels } from './timing-wheels.ts';

/** Due tasks that are read at a time. */
const ROW = 32;
/**
 * With more cells in use, wheels without tasks are large: they still have the buckets of a burst.
 */
const MAX_IDLE_CELLS = 64;

export class WheelTasks implements PendingTasks {
  readonly #wheelsIn: (slab: Slab<TimerTask>) => TimingWheels;
  #slab = new Slab<TimerTask>();
  #due = this.#slab.makeList(0, 0);
  #next = this.#slab.makeList(0, 0);
  #wheels: TimingWheels;
  /** The cursor, and its two halves: to make them of each other would cost 2 % of a start. */
  #cursor = 0;
  #cursorHigh = 0;
  #cursorLow = 0;
  #horizon = 0;
  /** How many of the first due tasks have been read. */
  #readAhead = 0;
  /** The tick of the task that `take` returned last. */
  takenTick: number = 0;

  /** @param bits log2 of the buckets of each wheel. @param tick the tick to start from. */
  constructor(bits: number, tick: number, didCascade: DidCascade) {
    this.#wheelsIn = (slab) => new TimingWheels(bits, slab, didCascade);
    this.#wheels = this.#wheelsIn(this.#slab);
    this.#moveTo(tick);
    this.#horizon = tick;
  }

  /** For snapshots, which change nothing. */
  get wheels(): TimingWheels {
    return this.#wheels;
  }

  get size(): number {
    return this.#slab.inUse - this.#wheels.buckets.length - 2;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** Moves the cursor to a tick that is before the expiration of every queued bucket. */
  #moveTo(tick: number): void {
    this.#cursor = tick;
    this.#cursorHigh = highOf(tick);
    this.#cursorLow = lowOf(tick, this.#cursorHigh);
  }

  holds(task: TimerTask, slot: number): boolean {
    return slot !== NOT_HELD && this.#slab.value(slot as Slot) === task;
  }

  add(task: TimerTask, tick: number): void {
    // The tick is near in most cases: then its high half is the cursor's, and nothing is divided.
    const nowHigh = this.#cursorHigh;
    const near = lowOf(tick, nowHigh);
    const isNear = near < LOW_SPAN;
    const high = isNear ? nowHigh : highOf(tick);
    const low = isNear ? near | 0 : lowOf(tick, high);
    const list =
      tick > this.#horizon ? this.#wheels.listFor(high, low, nowHigh, this.#cursorLow) : this.#next;
    task.$slot = this.#slab.pushValue(list, low, high, task);
  }

  release(task: TimerTask, slot: number): void {
    this.#slab.remove(slot as Slot);
    this.#slab.clearValue(slot as Slot);
    tellSlot(task, NOT_HELD);
  }

  /** The slot of a task that may be here, in `slot`. O(1), but O(capacity) for one that is frozen. */
  find(task: TimerTask, slot: number): number {
    if (this.holds(task, slot)) return slot;
    return Object.isFrozen(task) ? this.#slab.find(task) : NOT_HELD;
  }

  /**
   * Moves the wheels towards `tick` as far as nothing expires: a task that is added next is then
   * filed low.
   */
  catchUp(tick: number): void {
    if (this.isPassOpen) return;
    const wheels = this.#wheels;
    if (wheels.headExpiration <= tick) wheels.dropEmptyHeads();
    const head = wheels.headExpiration;
    if (tick < head) this.#moveTo(tick);
    // Beyond 2^53 the tick before the head may be no double, and round to the head: then the cursor
    // stays.
    else if (head - 1 < head) this.#moveTo(head - 1);
    this.#horizon = this.#cursor;
  }

  get isPassOpen(): boolean {
    return this.#cursor < this.#horizon || !this.#slab.isEmpty(this.#due);
  }

  /** Whether a pass is open, or tasks wait for the next. No bucket tells of these. */
  get isOverdue(): boolean {
    return this.isPassOpen || !this.#slab.isEmpty(this.#next);
  }

  hasDue(tick: number): boolean {
    return this.#wheels.headExpiration <= tick || this.isOverdue;
  }

  openPass(tick: number): void {
    this.#slab.splice(this.#next, this.#due);
    if (tick > this.#horizon) this.#horizon = tick;
  }

  /**
   * As in PendingTasks. While a large bucket cascades, no task is at hand though the pass is open.
   */
  take(): TimerTask | undefined {
    const slab = this.#slab;
    const wheels = this.#wheels;
    while (slab.isEmpty(this.#due)) {
      const head = wheels.headExpiration;
      if (head > this.#horizon) {
        this.#moveTo(this.#horizon);
        return undefined;
      }
      if (wheels.expireHead(this.#due)) this.#moveTo(head);
      else if (slab.isEmpty(this.#due)) return undefined;
    }
    const slot = slab.next(this.#due);
    if (this.#readAhead-- === 0) this.#readRow(slot);
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
    let read = 0;
    let slot = slab.next(first);
    while (slot !== this.#due && read < ROW && slab.value(slot)?.$slot === slot) {
      read++;
      slot = slab.next(slot);
    }
    this.#readAhead = read;
  }

  /** The task is the first, so its bucket is the head of the queue. */
  lookFor(): number {
    return this.nextTick();
  }

  nextTick(): number {
    if (this.size === 0) return Number.POSITIVE_INFINITY;
    if (this.isOverdue) return this.#cursor;
    this.#wheels.dropEmptyHeads();
    return this.#wheels.headExpiration;
  }

  firstTick(): number {
    const tick = this.nextTick();
    return this.isOverdue ? tick : this.#wheels.firstTick();
  }

  takeAll(): TimerTask[] {
    const tasks: TimerTask[] = [];
    while (this.size > 0) {
      if (!this.isPassOpen) this.openPass(this.nextTick());
      const task = this.take();
      if (task !== undefined) tasks.push(task);
    }
    return tasks;
  }

  get isSparse(): boolean {
    return this.#slab.isSparse;
  }

  shrink(visits: number): void {
    if (this.size === 0) this.#rest();
    else if (this.#slab.isSparse && !this.isPassOpen) this.#shrinkSome(visits);
  }

  /** A step of giving memory back. The lists `due` and `next` are the first cells, and stay. */
  #shrinkSome(visits: number): void {
    const slab = this.#slab;
    if (!slab.isShrinking) {
      slab.beginShrink();
      this.#wheels.moveDown();
    }
    slab.moveValuesDown(visits, tellSlot);
  }

  /** With no task in any list. */
  #rest(): void {
    if (this.#slab.inUse > MAX_IDLE_CELLS || this.#slab.isSparse) {
      this.#slab = new Slab();
      this.#due = this.#slab.makeList(0, 0);
      this.#next = this.#slab.makeList(0, 0);
      this.#wheels = this.#wheelsIn(this.#slab);
    } else {
      this.#wheels.dropEmptyHeads();
    }
    this.#moveTo(this.#horizon);
  }

  check(): number {
    const slab = this.#slab;
    mustHold(this.#cursor <= this.#horizon, 'the cursor is ahead of the horizon');
    const slots = [this.#due, this.#next].flatMap((list) => slab.check(list));
    slots.push(...this.#wheels.check(this.#cursor));
    for (const slot of slots) {
      const task = slab.value(slot);
      mustHold(task?.$slot === slot || Object.isFrozen(task), 'a task does not know its slot');
    }
    mustHold(slots.length === this.size, `${slots.length} tasks are held, size says ${this.size}`);
    // Not nextTick(), which drops empty buckets: a test that checks after each step would have
    // none.
    return this.isOverdue ? this.#cursor : this.#wheels.firstExpiration();
  }
}
