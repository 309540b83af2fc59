// The buckets of one IdleTimeouts: elements that are looked at together. A bucket is one task of
// the timer for up to 32 elements.
//
// Invariants. A bucket has its rows at places, in the order in which they were filed, and a row
// that is removed makes a hole. It is in the timer while it has elements. It is open, to be found by
// its time, until it is full, looked at or moved. A touch changes nothing here: when the timer runs
// the bucket, its owner looks at the last touch of each element, and files it anew.
//
// Buckets are small because a timer checks its slice between two tasks: so a burst of idle elements
// runs in slices, and stops at close().
import { mustHold } from '../../base/must-hold.ts';
import type { Timer } from '../../timer/timer.ts';
import { TimerTask } from '../../timer/timer-task.ts';
import { NO_ROW, type Row } from './element-index.ts';

/**
 * Small enough that the listeners of one bucket seldom take longer than a slice. Large enough that
 * the timer's share of the cost of a look is small.
 */
export const MAX_PLACES = 32;

declare const placeBrand: unique symbol;

/** Where in its bucket a row is. */
export type Place = number & { readonly [placeBrand]: true };

export class IdleBucket extends TimerTask {
  /** When the timer runs it, in ms of the clock. */
  lookAtMs = 0;
  /** The number that the ElementTable gives the bucket. Valid while the bucket has rows. */
  number = 0;
  #size = 0;
  readonly #rows: Row[] = [];
  readonly #look: (bucket: IdleBucket) => void;

  constructor(look: (bucket: IdleBucket) => void) {
    super(0);
    this.#look = look;
  }

  /** Rows in it. */
  get size(): number {
    return this.#size;
  }

  /** Places that were given out, holes included. */
  get places(): number {
    return this.#rows.length;
  }

  get isFull(): boolean {
    return this.#rows.length === MAX_PLACES;
  }

  /** To be called before it is added to a timer, which reads `delayMs` in each add. */
  setTime(lookAtMs: number, nowMs: number): void {
    this.lookAtMs = lookAtMs;
    (this as { delayMs: number }).delayMs = Math.min(lookAtMs - nowMs, Number.MAX_SAFE_INTEGER);
  }

  push(row: Row): Place {
    this.#size++;
    return (this.#rows.push(row) - 1) as Place;
  }

  /** NO_ROW in a hole. */
  rowAt(place: Place): Row {
    return this.#rows[place];
  }

  /** The row there has moved. */
  setRow(place: Place, row: Row): void {
    this.#rows[place] = row;
  }

  remove(place: Place): void {
    this.#rows[place] = NO_ROW;
    this.#size--;
  }

  override run(): void {
    this.#look(this);
  }
}

export class IdleBuckets {
  readonly #timer: Timer;
  readonly #look: (bucket: IdleBucket) => void;
  readonly #open = new Map<number, IdleBucket>();

  /**
   * @param look is called with a bucket when its time has come. The timer does not hold it then.
   */
  constructor(timer: Timer, look: (bucket: IdleBucket) => void) {
    this.#timer = timer;
    this.#look = look;
  }

  /**
   * The bucket for a row whose look is due at `lookAtMs`. @throws what the timer's `add` throws.
   * Nothing has changed then.
   */
  at(lookAtMs: number, nowMs: number): IdleBucket {
    const open = this.#open.get(lookAtMs);
    // One that is not pending: the timer was closed. Then its `add` throws.
    if (open?.isPending && !open.isFull) return open;
    const bucket = new IdleBucket(this.#look);
    bucket.setTime(lookAtMs, nowMs);
    this.#timer.add(bucket);
    this.#open.set(lookAtMs, bucket);
    return bucket;
  }

  /**
   * Closes a bucket, and sets the time of its look to `lookAtMs`. @throws what the timer's `add`
   * throws.
   */
  postpone(bucket: IdleBucket, lookAtMs: number, nowMs: number): void {
    this.#close(bucket);
    bucket.setTime(lookAtMs, nowMs);
    this.#timer.add(bucket);
  }

  /** To be called with a bucket that has lost a row. */
  lostRow(bucket: IdleBucket): void {
    if (bucket.size > 0) return;
    this.#close(bucket);
    bucket.cancel();
  }

  #close(bucket: IdleBucket): void {
    if (this.#open.get(bucket.lookAtMs) === bucket) this.#open.delete(bucket.lookAtMs);
  }

  /** Throws unless those that are open are among `buckets`, which are in the timer. For tests. */
  check(buckets: ReadonlySet<IdleBucket>): void {
    for (const [lookAtMs, bucket] of this.#open) {
      mustHold(
        bucket.lookAtMs === lookAtMs,
        `the bucket of ${bucket.lookAtMs} is open as that of ${lookAtMs}`,
      );
      mustHold(buckets.has(bucket), `an empty bucket is open for ${lookAtMs}`);
    }
    for (const bucket of buckets) mustHold(bucket.isPending, 'a bucket is not in the timer');
  }
}
