// When keys are to be loaded again: their retries, rechecks and polls.
//
// Invariants. A key has one look at most, and knows it. Keys that look at the same time share one
// task, so they are due in one call and are loaded together. With a task each, they would come a few
// at a time, as the timer runs its tasks: soon each key would have a load of its own.
//
// Costs. O(1) a key.
import type { Timer } from '../../timer/timer.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import type { WatchedKey } from './load.ts';

interface Look {
  readonly atMs: number;
  readonly keys: Set<WatchedKey>;
  readonly task: TimerTask;
}

export class Looks {
  readonly #timer: Timer;
  readonly #isDue: (key: WatchedKey) => void;
  readonly #byTime = new Map<number, Look>();

  /** @param isDue is called when the time of a key has come. */
  constructor(timer: Timer, isDue: (key: WatchedKey) => void) {
    this.#timer = timer;
    this.#isDue = isDue;
  }

  /** The key, which has no look, is due at `atMs` of the clock, or now if that has passed. */
  add(key: WatchedKey, atMs: number): void {
    const delayMs = atMs - this.#timer.now();
    if (delayMs <= 0) {
      this.#isDue(key);
      return;
    }
    let look = this.#byTime.get(atMs);
    if (look === undefined) {
      look = { atMs, keys: new Set(), task: this.#timer.schedule(() => this.#come(atMs), delayMs) };
      this.#byTime.set(atMs, look);
    }
    look.keys.add(key);
    key.look = look;
  }

  delete(key: WatchedKey): void {
    const look = key.look as Look | undefined;
    if (look === undefined) return;
    key.look = undefined;
    look.keys.delete(key);
    if (look.keys.size > 0) return;
    look.task.cancel();
    this.#byTime.delete(look.atMs);
  }

  #come(atMs: number): void {
    const look = this.#byTime.get(atMs);
    this.#byTime.delete(atMs);
    for (const key of look?.keys ?? []) {
      key.look = undefined;
      this.#isDue(key);
    }
  }
}
