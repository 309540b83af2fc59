// The scheme of SystemTimer: hierarchical timing wheels, with a DelayQueue of their buckets, so
// that the clock jumps from bucket to bucket (Varghese & Lauck 1987, scheme 7; Kafka's
// TimingWheel).
//
//   insert ─►  level 2  [ ][ ][#][ ]  262,144 ticks a bucket ─┐
//          ─►  level 1  [#][ ][ ][ ]      512 ticks     ◄─────┴─┐ cascade
//          ─►  level 0  [ ][#][ ][#]    one tick      ◄─────────┴─► due
//                            DelayQueue: each [#], by the tick at which it expires
//
// No two queued buckets overlap, and all expire after the cursor. So the highest digit in which a
// tick differs from the cursor names its wheel.
//
// Costs. insert: O(1), plus O(log buckets) for the first task of a bucket. collect: O(log
// buckets), plus O(1) for each task that cascades: once for each wheel that it was filed above the
// lowest. No empty bucket is ever stepped through.
import type { Slab, Slot } from '../../slab/slab.ts';
import type { Scheme } from '../pending-tasks.ts';
import type { TimerMeter } from '../timer-meter.ts';
import type { TimerTask } from '../timer-task.ts';
import { DelayQueue } from './delay-queue.ts';
import { type Bucket, TimingWheel } from './timing-wheel.ts';

/** Tasks that one `collect` moves from an overflow bucket: they take a small part of a slice. */
const MAX_MOVES = 1_024;

export class WheelScheme implements Scheme {
  readonly #slab: Slab<TimerTask>;
  readonly #meter: TimerMeter | undefined;
  readonly lowest: TimingWheel;
  readonly queue: DelayQueue = new DelayQueue();
  cursor: number = 0;

  /** @param bits log2 of the buckets of each wheel. */
  constructor(slab: Slab<TimerTask>, cursor: number, bits: number, meter?: TimerMeter) {
    this.#slab = slab;
    this.cursor = cursor;
    this.#meter = meter;
    this.lowest = new TimingWheel(bits, slab);
  }

  insert(tick: number, task: TimerTask): Slot {
    const bucket = this.#queuedFor(tick, this.cursor);
    return this.#slab.pushTick(bucket.list, tick, task);
  }

  #queuedFor(tick: number, cursor: number): Bucket {
    const bucket = this.lowest.bucketFor(tick, cursor);
    if (!bucket.isQueued) this.queue.enqueue(bucket, bucket.wheel.startOf(tick));
    return bucket;
  }

  catchUp(tick: number): void {
    const { queue } = this;
    if (queue.headExpiration <= tick) this.#dropEmptyHeads();
    const head = queue.headExpiration;
    this.cursor = tick < head ? tick : head - 1;
  }

  lookFor(tick: number): number {
    return this.lowest.bucketFor(tick, this.cursor).wheel.startOf(tick);
  }

  /**
   * Expires the head of the queue: its tasks of the tick at which it expires are due, the others go
   * to finer wheels. Of a large overflow bucket, one call moves MAX_MOVES tasks. Until the bucket
   * is empty it stays queued, and the cursor stays before it. So a task that is added to its range
   * meanwhile comes after its older tasks.
   */
  collect(horizon: number, due: Slot): void {
    const { queue } = this;
    if (queue.headExpiration > horizon) {
      this.cursor = horizon;
      return;
    }
    const bucket = queue.head as Bucket;
    const { list, wheel, expiration } = bucket;
    let moved = 0;
    if (wheel.level === 0) this.#slab.splice(list, due);
    else moved = this.#cascade(bucket, due);
    if (this.#slab.isEmpty(list)) {
      queue.dequeue();
      this.cursor = queue.headExpiration > horizon ? horizon : expiration;
    }
    if (moved > 0) this.#meter?.didCascade(wheel.level, bucket.index, moved);
  }

  #cascade({ list, expiration }: Bucket, due: Slot): number {
    const slab = this.#slab;
    let moved = 0;
    while (moved < MAX_MOVES && !slab.isEmpty(list)) {
      const slot = slab.next(list);
      const tick = slab.tick(slot);
      slab.moveTo(tick === expiration ? due : this.#queuedFor(tick, expiration).list, slot);
      moved++;
    }
    return moved;
  }

  /** Of the first task, it is O(tasks of the first bucket). */
  nextTick(isExact = false): number {
    this.#dropEmptyHeads();
    const { head, headExpiration } = this.queue;
    if (!isExact || head === undefined || head.wheel.level === 0) return headExpiration;
    let first = Number.POSITIVE_INFINITY;
    this.#slab.forEach(head.list, (_, tick) => {
      if (tick < first) first = tick;
    });
    return first;
  }

  /** O(1), amortised over the buckets that were queued. */
  #dropEmptyHeads(): void {
    const { queue } = this;
    while (queue.head !== undefined && this.#slab.isEmpty(queue.head.list)) queue.dequeue();
  }

  forEach(visit: (slot: Slot, tick: number) => void): void {
    for (const { list } of this.queue.toArray()) this.#slab.forEach(list, visit);
  }
}
