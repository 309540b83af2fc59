// The buckets of one IdleTimeouts by the time of their look, and the timer that holds them.
//
// Ground rules. A bucket is in the timer while it has elements. A bucket is open, to be found by
// its time, until it is full, looked at or moved. Nobody else adds a bucket to the timer or takes
// one out.
import { mustHold } from '../must-hold.ts';
import type { Timer } from '../timer/timer.ts';
import { IdleBucket } from './idle-bucket.ts';

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

  /** To be called with a bucket that a row has left. */
  left(bucket: IdleBucket): void {
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
