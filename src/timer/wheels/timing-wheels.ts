// The timing wheels of one timer, with the DelayQueue of their buckets: where a task is filed, and
// how a bucket cascades (Varghese & Lauck 1987, scheme 7; Kafka's TimingWheel).
//
// Ground rules. Its owner (WheelTasks) has the slab and adds and takes out the cells of tasks. The
// wheels make the lists of the buckets in it, link them when a bucket expires, and alone know
// which bucket is queued. They read no clock and keep no present tick.
//
// Costs. listFor: O(1), plus O(log buckets) for the first task of a bucket. expireHead: O(log
// buckets), plus O(1) for each task that cascades. A task cascades once for each wheel that it was
// filed above the lowest. No empty bucket is ever stepped through.
import { mustHold } from '../../base/must-hold.ts';
import type { Slab, Slot } from '../../slab/slab.ts';
import { highOf, lowOf, tickOf } from '../tick.ts';
import type { TimerTask } from '../timer-task.ts';
import type { Bucket } from './bucket.ts';
import { DelayQueue } from './delay-queue.ts';
import { TimingWheel } from './timing-wheel.ts';

/** Is called after a cascade: the level and index of the bucket, and how many tasks were moved. */
export type DidCascade = (level: number, bucket: number, tasks: number) => void;

/** Tasks that one step moves from an overflow bucket: they take a small part of a slice. */
const MAX_MOVES = 1_024;
/** What the sentinel of a bucket's list has in `a`. In `b` it has the index of the bucket. */
const QUEUED = 1;
const NOT_QUEUED = 0;

export class TimingWheels {
  readonly #slab: Slab<TimerTask>;
  readonly #didCascade: DidCascade;
  /** The buckets of all wheels. */
  readonly buckets: Bucket[] = [];
  readonly lowest: TimingWheel;
  readonly queue: DelayQueue = new DelayQueue();

  /** @param bits log2 of the buckets of each wheel. */
  constructor(bits: number, slab: Slab<TimerTask>, didCascade: DidCascade) {
    this.#slab = slab;
    this.#didCascade = didCascade;
    this.lowest = new TimingWheel(bits, 0, slab, this.buckets);
  }

  /** The earliest expiration of a queued bucket, which may be empty by now. Infinity for none. */
  get headExpiration(): number {
    return this.queue.headExpiration;
  }

  /** The list for a tick, whose bucket is queued. Both ticks are given as their two halves. */
  listFor(high: number, low: number, nowHigh: number, nowLow: number): Slot {
    const list = this.lowest.listFor(high, low, nowHigh, nowLow);
    if (this.#slab.a(list) !== QUEUED) this.#enqueue(list, high, low);
    return list;
  }

  /**
   * The earliest tick of a filed task: it is in the head of the queue, as no two buckets overlap.
   * The head must not be empty. Infinity when there is no head. O(tasks of that bucket).
   */
  firstTick(): number {
    const slab = this.#slab;
    let first = Number.POSITIVE_INFINITY;
    if (this.queue.head === null) return first;
    const { expiration, list } = this.queue.head;
    for (let slot = slab.next(list); slot !== list && first > expiration; slot = slab.next(slot)) {
      first = Math.min(first, tickOf(slab.b(slot), slab.a(slot)));
    }
    return first;
  }

  /**
   * Expires the head of the queue: its tasks of the tick at which it expires go to the end of
   * `due`, the others to finer wheels. Of a large overflow bucket, one step moves MAX_MOVES tasks.
   * Returns whether the bucket is empty now. Until then it stays queued, and the cursor must stay
   * before it. So a task that is added to its range meanwhile comes after its older tasks.
   */
  expireHead(due: Slot): boolean {
    const bucket = this.queue.head as Bucket;
    const moved = bucket.shift === 0 ? 0 : this.#cascade(bucket, due);
    if (bucket.shift === 0) this.#slab.splice(bucket.list, due);
    const isEmpty = this.#slab.isEmpty(bucket.list);
    if (isEmpty) this.#dequeue();
    if (moved > 0) this.#didCascade(this.lowest.levelOf(bucket), bucket.index, moved);
    return isEmpty;
  }

  /** Moves tasks of `bucket` to where they belong when the cursor is at its expiration. */
  #cascade(bucket: Bucket, due: Slot): number {
    const slab = this.#slab;
    const nowHigh = highOf(bucket.expiration);
    const nowLow = lowOf(bucket.expiration, nowHigh);
    let moved = 0;
    while (moved < MAX_MOVES && !slab.isEmpty(bucket.list)) {
      const slot = slab.next(bucket.list);
      const low = slab.a(slot);
      const high = slab.b(slot);
      const isDue = low === nowLow && high === nowHigh;
      slab.moveTo(isDue ? due : this.listFor(high, low, nowHigh, nowLow), slot);
      moved++;
    }
    return moved;
  }

  /**
   * Takes buckets without tasks from the head of the queue. O(1), amortised over the buckets that
   * were queued.
   */
  dropEmptyHeads(): void {
    const { queue } = this;
    for (let head = queue.head; head !== null && this.#slab.isEmpty(head.list); head = queue.head) {
      this.#dequeue();
    }
  }

  #enqueue(list: Slot, high: number, low: number): void {
    const bucket = this.buckets[this.#slab.b(list)];
    this.queue.enqueue(bucket, bucket.startOf(high, low));
    this.#slab.setA(list, QUEUED);
  }

  #dequeue(): void {
    this.#slab.setA(this.queue.dequeue().list, NOT_QUEUED);
  }

  /** Moves the lists of buckets to where the memory of the slab stays. O(buckets). */
  moveDown(): void {
    for (const bucket of this.buckets) {
      if (!this.#slab.isBeyond(bucket.list)) continue;
      bucket.list = this.#slab.moveDown(bucket.list);
      this.lowest.didMove(bucket);
    }
  }

  /** How many tasks are in `list`, counted up to `max`: O(max). */
  count(list: Slot, max: number): number {
    const slab = this.#slab;
    let tasks = 0;
    for (let slot = slab.next(list); slot !== list && tasks < max; slot = slab.next(slot)) tasks++;
    return tasks;
  }

  /** The earliest expiration of a bucket with tasks. Infinity for none. For tests: O(buckets). */
  firstExpiration(): number {
    const filled = this.queue.toArray().filter(({ list }) => !this.#slab.isEmpty(list));
    return Math.min(...filled.map(({ expiration }) => expiration));
  }

  /**
   * Throws unless the buckets are sound. Returns the slots of their tasks. For tests: O(tasks +
   * buckets).
   */
  check(cursor: number): Slot[] {
    const slab = this.#slab;
    const { buckets, lowest, queue } = this;
    const queued = new Set(queue.toArray());
    mustHold(queued.size === queue.size, 'a bucket is queued twice');
    const wheels = [...lowest.levels()];
    return buckets.flatMap((bucket) => {
      const { list, expiration, index } = bucket;
      const isQueued = queued.has(bucket);
      const slots = slab.check(list);
      mustHold(wheels[lowest.levelOf(bucket)].lists[index] === list, 'a wheel has another list');
      mustHold((slab.a(list) === QUEUED) === isQueued, 'a sentinel disagrees with the queue');
      mustHold(slots.length === 0 || isQueued, 'a bucket with tasks is not queued');
      mustHold(!isQueued || expiration > cursor, 'the cursor has passed a queued bucket');
      mustHold(!isQueued || expiration >= queue.headExpiration, 'the head is not the earliest');
      for (const slot of slots) {
        mustHold(bucket.startOf(slab.b(slot), slab.a(slot)) === expiration, 'a task is misfiled');
      }
      return slots;
    });
  }
}
