// The buckets that nobody watches any more, and that stay subscribed for a while.
//
// Ground rules. Waits come back to the same keys, so a bucket is left only `lingerMs` after its last
// watcher. One task of the timer serves all: the earliest comes first, as all linger equally long.
//
// Costs. add, delete: O(1).
import type { SystemTimer } from '../../timer/system-timer.ts';
import type { TimerTask } from '../../timer/timer-task.ts';

export class Lingering {
  readonly #timer: SystemTimer;
  readonly #lingerMs: number;
  readonly #ended: (buckets: readonly number[]) => void;
  /** When the last watcher of each left. */
  readonly #sinceMs = new Map<number, number>();
  #task: TimerTask | undefined;

  /** @param ended gets the buckets that are to be left now. */
  constructor(timer: SystemTimer, lingerMs: number, ended: (buckets: readonly number[]) => void) {
    this.#timer = timer;
    this.#lingerMs = lingerMs;
    this.#ended = ended;
  }

  add(bucket: number): void {
    this.#sinceMs.set(bucket, this.#timer.now());
    this.#task ??= this.#timer.schedule(this.#look, this.#lingerMs);
  }

  /** Somebody watches it again. True iff it was lingering. */
  delete(bucket: number): boolean {
    return this.#sinceMs.delete(bucket);
  }

  clear(): void {
    this.#sinceMs.clear();
    this.#task?.cancel();
    this.#task = undefined;
  }

  readonly #look = (): void => {
    this.#task = undefined;
    const nowMs = this.#timer.now();
    const ended: number[] = [];
    for (const [bucket, sinceMs] of this.#sinceMs) {
      const endMs = sinceMs + this.#lingerMs;
      if (nowMs < endMs) {
        this.#task = this.#timer.schedule(this.#look, endMs - nowMs);
        break;
      }
      this.#sinceMs.delete(bucket);
      ended.push(bucket);
    }
    if (ended.length > 0) this.#ended(ended);
  };
}
