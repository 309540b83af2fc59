// The wheels and their DelayQueue: where a task waits whose tick is ahead of the cursor.
//
// Ground rules. It owns the slab with every cell in it, the wheels with their buckets and the order in which buckets expire. The
// cursor is the tick that the wheels stand at: no queued bucket expires at or before it, so the highest digit in which a tick differs
// from it names the wheel. Two lists of the slab are not of a bucket: `due` and `next`, which its owner (TimingWheels) has made.
//
// Costs. file: O(1), plus O(log buckets) for the first task of a bucket. expireHead: O(log buckets), plus O(1) for each task that
// cascades, which it does once per wheel that it was filed above the lowest. No empty bucket is ever stepped through.
import { mustHold } from '../must-hold.ts';
import { type Moved, Slab, type Slot } from '../slab/slab.ts';
import { DelayQueue } from './delay-queue.ts';
import { highOf, LOW_SPAN, lowOf, tickOf } from './tick.ts';
import type { TimerMeter } from './timer-meter.ts';
import type { TimerTask } from './timer-task.ts';
import type { TimerTaskList } from './timer-task-list.ts';
import { TimingWheel } from './timing-wheel.ts';

/** Tasks that one step moves from an overflow bucket: a small part of a slice between two looks at it. */
const MAX_MOVES = 1_024;
/** What the sentinel of a bucket's list carries in `a`, beside the index of the bucket in `b`. */
const QUEUED = 1;
const NOT_QUEUED = 0;

export class FiledTasks {
  readonly #bits: number = 0;
  readonly #meter: TimerMeter;
  #slab = new Slab<TimerTask>();
  #buckets: TimerTaskList[] = [];
  #lowest: TimingWheel;
  readonly #queue = new DelayQueue();
  #cursor = 0;
  #cursorHigh = 0;
  #cursorLow = 0;
  /** The tick of the cursor's high half alone. */
  #cursorBase = 0;

  /** @param bits log2 of the buckets of each wheel. @param tick the tick to start from. @param meter is told of cascades. */
  constructor(bits: number, tick: number, meter: TimerMeter) {
    this.#bits = bits;
    this.#meter = meter;
    this.#lowest = new TimingWheel(bits, 0, this.#slab, this.#buckets);
    this.cursor = tick;
  }

  /** All lists; another one after `startAfresh`. */
  get slab(): Slab<TimerTask> {
    return this.#slab;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** Moves to a tick that is before the expiration of every queued bucket. */
  set cursor(tick: number) {
    this.#cursor = tick;
    this.#cursorHigh = highOf(tick);
    this.#cursorLow = lowOf(tick, this.#cursorHigh);
    this.#cursorBase = tickOf(this.#cursorHigh, 0);
  }

  /** The earliest expiration of a queued bucket, which may be empty by now; Infinity when none is queued. */
  get headExpiration(): number {
    return this.#queue.headExpiration;
  }

  /** Whether the head of the queue holds a task. */
  get hasHead(): boolean {
    const { head } = this.#queue;
    return head !== null && !this.#slab.isEmpty(head.list);
  }

  /** Files a task for a tick ahead of the cursor. Returns the tick to look at for its sake, as PendingTasks.add does. */
  file(task: TimerTask, tick: number): number {
    // Mostly the tick is near: then its high half is the cursor's, and no division is needed.
    const near = tick - this.#cursorBase;
    const isNear = near < LOW_SPAN;
    const high = isNear ? this.#cursorHigh : highOf(tick);
    const low = isNear ? near | 0 : lowOf(tick, high);
    const list = this.#lowest.listFor(high, low, this.#cursorHigh, this.#cursorLow);
    this.push(list, task, high, low);
    return this.#slab.a(list) === QUEUED ? Number.MAX_VALUE : this.#enqueue(list, high, low);
  }

  /** Adds a task, for the tick of the two halves, to the end of `list`. */
  push(list: Slot, task: TimerTask, high: number, low: number): void {
    const slot = this.#slab.push(list, low, high);
    this.#slab.setValue(slot, task);
    task.$slot = slot;
  }

  /**
   * Expires the head of the queue into `due`: the tasks of the cursor's tick, which is the head's expiration then. Of a large overflow
   * bucket it moves as many tasks as one step may; until the bucket is empty the cursor stays behind it and it stays queued, so
   * what is added to its range meanwhile comes after its older tasks.
   */
  expireHead(due: Slot): void {
    const slab = this.#slab;
    const bucket = this.#queue.head as TimerTaskList;
    const moved = bucket.shift === 0 ? 0 : this.#cascade(bucket, due);
    if (bucket.shift === 0 || slab.isEmpty(bucket.list)) {
      this.#dequeue();
      this.cursor = bucket.expiration;
      if (bucket.shift === 0) slab.splice(bucket.list, due);
    }
    if (moved > 0) this.#meter.didCascade(this.#lowest, bucket, moved);
  }

  /** Moves tasks of `bucket` to where they belong once the cursor stands at its expiration; returns how many. */
  #cascade(bucket: TimerTaskList, due: Slot): number {
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
        slab.moveTo(due, slot);
      } else {
        const finer = this.#lowest.listFor(high, low, nowHigh, nowLow);
        if (slab.a(finer) !== QUEUED) this.#enqueue(finer, high, low);
        slab.moveTo(finer, slot);
      }
    }
    return moved;
  }

  /** Forgets the heads that have lost their tasks: all that is queued, with no task filed. Paid for by their enqueuing. */
  dropEmptyHeads(): void {
    const queue = this.#queue;
    for (let head = queue.head; head !== null && this.#slab.isEmpty(head.list); head = queue.head) {
      this.#dequeue();
    }
  }

  /** With no task filed and no bucket queued: gives back what many buckets took (paid for by their making), `due` and `next` included. */
  startAfresh(): void {
    this.#slab = new Slab();
    this.#buckets = [];
    this.#lowest = new TimingWheel(this.#bits, 0, this.#slab, this.#buckets);
  }

  /** Gives memory back after a burst; returns where the lists of the owner are now. O(capacity). */
  compact(): Moved {
    const moved = this.#slab.compact();
    for (const bucket of this.#buckets) {
      bucket.list = moved(bucket.list);
      this.#lowest.didMove(bucket);
    }
    this.#slab.forEachValue((task, slot) => {
      task.$slot = slot;
    });
    return moved;
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

  /** Throws unless the buckets are sound and hold, with the lists `others`, every task; returns how many. For tests: O(tasks + buckets). */
  check(others: readonly Slot[]): number {
    const queued = new Set(this.#queue.toArray());
    mustHold(queued.size === this.#queue.size, 'a bucket is queued twice');
    const found = others.flatMap((list) => this.#slab.check(list));
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
    for (const slot of found) {
      mustHold(this.#slab.value(slot)?.$slot === slot, 'a task does not know its slot');
    }
    mustHold(this.#slab.inUse === found.length + this.#buckets.length + others.length, 'cells have leaked');
    return found.length;
  }
}
