// The pending tasks of one timer in the order of their ticks: the wheels, the DelayQueue and the slab that they share.
//
// Ground rules. It owns the slab, every list in it and `task.$slot` of the tasks it holds. It never reads a clock, runs no
// task and knows no milliseconds: ticks come as arguments (PendingTasks). Its timer (DrivenTimer) alone drives it.
//
// Three ticks:   cursor <= horizon <= now.   The cursor is the tick that the wheels stand at: no queued bucket expires at or
// before it. The horizon is the target of the pass under way, or the cursor when none is. A pass takes, in order: `due` (the tasks of
// the cursor's tick), then bucket by bucket what expires up to the horizon. A pass can be left and gone on with later.
// A task for a tick that is no longer ahead of the horizon (it has no delay) goes to `next`, which is due first in the next pass: so
// none that a task adds can run in the pass that is under way.
//
// Costs. add, release: O(1), plus O(log buckets) for the first task of a bucket. take: amortised O(1) per task and
// per wheel that the task was filed above the lowest. No empty bucket is ever stepped through, so a jump costs the same as a step.
import { mustHold } from '../must-hold.ts';
import { Slab, type Slot } from '../slab/slab.ts';
import { DelayQueue } from './delay-queue.ts';
import type { PendingTasks } from './pending-tasks.ts';
import { highOf, LOW_SPAN, lowOf, tickOf } from './tick.ts';
import type { TimerMeter } from './timer-meter.ts';
import { NOT_HELD } from './timer-protocol.ts';
import type { TimerTask } from './timer-task.ts';
import type { TimerTaskList } from './timer-task-list.ts';
import { TimingWheel } from './timing-wheel.ts';

/** Tasks that one step moves from an overflow bucket: a small part of a slice between two looks at it. */
const MAX_MOVES = 1_024;
/** Due tasks that are read ahead at a time. */
const ROW = 32;
/** What the sentinel of a bucket's list carries in `a`, beside the index of the bucket in `b`. */
const QUEUED = 1;
const NOT_QUEUED = 0;
/** Cells beyond which an empty timer starts afresh instead of keeping the buckets that a burst has made. */
const MAX_IDLE_CELLS = 64;

export class TimingWheels implements PendingTasks {
  readonly #bits: number = 0;
  #slab = new Slab<TimerTask>();
  readonly #queue = new DelayQueue();
  #buckets: TimerTaskList[] = [];
  #lowest: TimingWheel;
  readonly #meter: TimerMeter;
  #due = this.#slab.makeList(0, 0);
  #next = this.#slab.makeList(0, 0);
  #cursor = 0;
  #cursorHigh = 0;
  #cursorLow = 0;
  /** The tick of the cursor's high half alone. */
  #cursorBase = 0;
  #horizon = 0;
  #size = 0;
  #takenHigh = 0;
  /** How many of the next due tasks have been read ahead. */
  #readAhead = 0;
  #takenLow = 0;

  /** @param bits log2 of the buckets of each wheel. @param tick the tick to start from. @param meter is told of cascades. */
  constructor(bits: number, tick: number, meter: TimerMeter) {
    this.#bits = bits;
    this.#meter = meter;
    this.#lowest = new TimingWheel(bits, 0, this.#slab, this.#buckets);
    this.#setCursor(tick);
    this.#horizon = tick;
  }

  get size(): number {
    return this.#size;
  }

  holds(task: TimerTask, slot: number): boolean {
    return slot !== NOT_HELD && this.#slab.value(slot as Slot) === task;
  }

  add(task: TimerTask, tick: number): number {
    // Mostly the tick is ahead and near: then its high half is the cursor's, and no division is needed.
    const low = tick - this.#cursorBase;
    if (!(tick > this.#horizon && low < LOW_SPAN)) return this.#addUncommon(task, tick);
    return this.#addAhead(task, this.#cursorHigh, low | 0);
  }

  #addUncommon(task: TimerTask, tick: number): number {
    const high = highOf(tick);
    const low = lowOf(tick, high);
    if (tick > this.#horizon) return this.#addAhead(task, high, low);
    this.#push(this.#next, task, high, low);
    return this.#cursor;
  }

  #addAhead(task: TimerTask, high: number, low: number): number {
    const list = this.#lowest.listFor(high, low, this.#cursorHigh, this.#cursorLow);
    this.#push(list, task, high, low);
    return this.#slab.a(list) === QUEUED ? Number.POSITIVE_INFINITY : this.#enqueue(list, high, low);
  }

  #push(list: Slot, task: TimerTask, high: number, low: number): void {
    const slot = this.#slab.push(list, low, high);
    this.#slab.setValue(slot, task);
    task.$slot = slot;
    this.#size++;
  }

  release(task: TimerTask, slot: number): void {
    const slab = this.#slab;
    slab.clearValue(slot as Slot);
    slab.remove(slot as Slot);
    task.$slot = NOT_HELD;
    this.#size--;
  }

  /** Moves the wheels on to `tick` as far as nothing expires, so that what is added next is filed no higher than it must be. */
  catchUp(tick: number): void {
    if (this.isPassOpen) return;
    const queue = this.#queue;
    if (queue.headExpiration <= tick) this.#dropEmptyHeads();
    const head = queue.headExpiration;
    if (tick < head) this.#setCursor(tick);
    // Beyond 2^53 the tick before the head may be no double, and round to the head: then the cursor stays.
    else if (head - 1 < head) this.#setCursor(head - 1);
    this.#horizon = this.#cursor;
  }

  get cursor(): number {
    return this.#cursor;
  }

  get isPassOpen(): boolean {
    return this.#cursor < this.#horizon || !this.#slab.isEmpty(this.#due);
  }

  /** True when there is something that no bucket waits for: a pass left open, or tasks without delay. */
  get isOverdue(): boolean {
    return this.isPassOpen || !this.#slab.isEmpty(this.#next);
  }

  hasDue(tick: number): boolean {
    return this.#queue.headExpiration <= tick || this.isOverdue;
  }

  openPass(tick: number): void {
    this.#slab.splice(this.#next, this.#due);
    if (tick > this.#horizon) this.#horizon = tick;
  }

  /** As in PendingTasks: a large bucket that is being cascaded is when there is no task at hand and the pass is open still. */
  take(): TimerTask | undefined {
    const slab = this.#slab;
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
      const head = this.#queue.headExpiration;
      if (head > this.#horizon) {
        this.#setCursor(this.#horizon);
        return undefined;
      }
      this.#expireHead();
      if (this.#queue.headExpiration === head && slab.isEmpty(this.#due)) return undefined;
    }
  }

  /** The tick of the task that `take` returned last. */
  get takenTick(): number {
    return tickOf(this.#takenHigh, this.#takenLow);
  }

  nextTick(): number {
    if (this.#size === 0) return Number.POSITIVE_INFINITY;
    if (this.isOverdue) return this.#cursor;
    this.#dropEmptyHeads();
    return this.#queue.headExpiration;
  }

  /**
   * With no task pending: forgets the queued buckets (paid for by their enqueuing), ends a pass that was left open, and gives
   * back what many buckets took (paid for by their making).
   */
  rest(): void {
    while (this.#queue.size > 0) this.#dequeue();
    this.#setCursor(this.#horizon);
    if (this.#slab.inUse <= MAX_IDLE_CELLS) return;
    this.#slab = new Slab();
    this.#buckets = [];
    this.#lowest = new TimingWheel(this.#bits, 0, this.#slab, this.#buckets);
    this.#due = this.#slab.makeList(0, 0);
    this.#next = this.#slab.makeList(0, 0);
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
      this.openPass(Math.max(this.#horizon, this.isOverdue ? this.#horizon : this.#queue.headExpiration));
      takeRest();
    }
    return tasks;
  }

  shrink(): void {
    if (this.#slab.isSparse) this.#compact();
  }

  #compact(): void {
    const moved = this.#slab.compact();
    this.#due = moved(this.#due);
    this.#next = moved(this.#next);
    for (const bucket of this.#buckets) {
      bucket.list = moved(bucket.list);
      this.#lowest.didMove(bucket);
    }
    this.#slab.forEachValue((task, slot) => {
      task.$slot = slot;
    });
  }

  #enqueue(list: Slot, high: number, low: number): number {
    const bucket = this.#buckets[this.#slab.b(list)];
    const expiration = bucket.startOf(high, low);
    this.#slab.setA(list, QUEUED);
    this.#queue.enqueue(bucket, expiration);
    return expiration;
  }

  #dequeue(): void {
    this.#slab.setA(this.#queue.dequeue().list, NOT_QUEUED);
  }

  /** Expires the head of the queue, or as much of a large overflow bucket as one step of `take` may move. */
  #expireHead(): void {
    const slab = this.#slab;
    const bucket = this.#queue.head as TimerTaskList;
    const moved = bucket.shift === 0 ? 0 : this.#cascade(bucket);
    if (bucket.shift === 0 || slab.isEmpty(bucket.list)) {
      this.#dequeue();
      this.#setCursor(bucket.expiration);
      if (bucket.shift === 0) slab.splice(bucket.list, this.#due);
    }
    if (moved > 0) this.#meter.didCascade(this.#lowest, bucket, moved);
  }

  /**
   * Moves tasks of `bucket` to where they belong once the cursor stands at its expiration; returns how many. Until it is empty
   * the cursor stays behind it and it stays queued, so what is added to its range meanwhile comes after its older tasks.
   */
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
        const finer = this.#lowest.listFor(high, low, nowHigh, nowLow);
        if (slab.a(finer) !== QUEUED) this.#enqueue(finer, high, low);
        slab.moveTo(finer, slot);
      }
    }
    return moved;
  }

  /**
   * Reads the due tasks from `first` on, as many as a row has. Tasks that have long been pending lie all over memory: read one by one, as
   * each is about to run, they are waited for one by one; read in a row, they are fetched side by side. (What is asked of a task holds
   * for each: it is the reading that counts.)
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

  #dropEmptyHeads(): void {
    for (
      let head = this.#queue.head;
      head !== null && this.#slab.isEmpty(head.list);
      head = this.#queue.head
    ) {
      this.#dequeue();
    }
  }

  #setCursor(tick: number): void {
    this.#cursor = tick;
    this.#cursorHigh = highOf(tick);
    this.#cursorLow = lowOf(tick, this.#cursorHigh);
    this.#cursorBase = tickOf(this.#cursorHigh, 0);
  }

  /** For snapshots, which change nothing. */
  get lowest(): TimingWheel {
    return this.#lowest;
  }

  /** For snapshots, which change nothing. */
  get queue(): DelayQueue {
    return this.#queue;
  }

  /** How many tasks are in `list`, counted up to `max`: O(max). */
  count(list: Slot, max: number): number {
    const slab = this.#slab;
    let tasks = 0;
    let slot = slab.next(list);
    while (slot !== list && tasks < max) {
      tasks++;
      slot = slab.next(slot);
    }
    return tasks;
  }

  check(): number {
    const queued = new Set(this.#queue.toArray());
    mustHold(queued.size === this.#queue.size, 'a bucket is queued twice');
    const next = this.#slab.check(this.#next);
    const due = this.#slab.check(this.#due);
    const found = [...next, ...due];
    const wheels = [...this.#lowest.levels()];
    for (const bucket of this.#buckets) {
      const isQueued = queued.has(bucket);
      const { lists } = wheels[this.#lowest.levelOf(bucket)];
      mustHold(lists[bucket.index] === bucket.list, 'a wheel does not know the list of its bucket');
      const members = this.#slab.check(bucket.list);
      mustHold((this.#slab.a(bucket.list) === QUEUED) === isQueued, 'a sentinel disagrees with the queue');
      mustHold(!(members.length > 0 && !isQueued), 'a bucket with tasks is not queued');
      mustHold(!(isQueued && bucket.expiration <= this.#cursor), 'the cursor has passed a queued bucket');
      mustHold(!(isQueued && bucket.expiration < this.#queue.headExpiration), 'the head is not the earliest');
      for (const slot of members) {
        mustHold(
          bucket.startOf(this.#slab.b(slot), this.#slab.a(slot)) === bucket.expiration,
          'a task is misfiled',
        );
      }
      found.push(...members);
    }
    mustHold(this.#cursor <= this.#horizon, 'the cursor is ahead of the horizon');
    mustHold(found.length === this.#size, `${found.length} tasks are linked, size says ${this.#size}`);
    for (const slot of found) {
      mustHold(this.#slab.value(slot)?.$slot === slot, 'a task does not know its slot');
    }
    mustHold(this.#slab.inUse === found.length + this.#buckets.length + 2, 'cells have leaked');
    return this.nextTick();
  }
}
