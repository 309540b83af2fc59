/**
 * A purgatory with the numbers an operator asks of it: how many operations were parked, how they left, how long they waited.
 *
 * An operation that is complete at its first try was never parked and counts nowhere. Counting is O(1) and keeps nothing per
 * operation but the time it was parked at.
 */
import { DelayedOperation, Purgatory, type Timer } from 'purgatory';

export class WaitingRoom {
  readonly name: string;
  readonly purgatory: Purgatory<string, WaitingOperation>;
  #parked = 0;
  #completed = 0;
  #expired = 0;
  #waitedMs = 0;

  constructor(name: string, timer: Timer, onError: (error: unknown) => void) {
    this.name = name;
    this.purgatory = new Purgatory(name, { timer, onError });
  }

  /** Completes the operation at once or parks it. O(keys). Throws what its `tryComplete` or `onComplete` throws. */
  enter(operation: WaitingOperation, keys: readonly string[]): void {
    operation.parkedAt = performance.now();
    if (this.purgatory.tryCompleteElseWatch(operation, keys)) return;
    this.#parked++;
    operation.room = this;
  }

  /** For WaitingOperation only. */
  noteCompletion(waitedMs: number): void {
    this.#completed++;
    this.#waitedMs += waitedMs;
  }

  /** For WaitingOperation only. */
  noteExpiration(): void {
    this.#expired++;
  }

  /** Completed early, expired and the mean wait are of those that were parked; the rest of them wait or were cancelled. */
  counts(): WaitingCounts {
    return {
      numDelayed: this.purgatory.numDelayed,
      watchedKeys: this.purgatory.watchedKeys,
      parked: this.#parked,
      completedEarly: this.#completed - this.#expired,
      expired: this.#expired,
      meanWaitMs: this.#completed === 0 ? 0 : this.#waitedMs / this.#completed,
    };
  }
}

export interface WaitingCounts {
  readonly numDelayed: number;
  readonly watchedKeys: number;
  readonly parked: number;
  readonly completedEarly: number;
  readonly expired: number;
  readonly meanWaitMs: number;
}

/** What enters a WaitingRoom: a subclass says in `answer` what happens when the wait is over, however it ended. */
export abstract class WaitingOperation extends DelayedOperation {
  room: WaitingRoom | undefined;
  parkedAt = 0;

  protected abstract answer(): void;

  override onComplete(): void {
    this.room?.noteCompletion(performance.now() - this.parkedAt);
    this.answer();
  }

  override onExpiration(): void {
    this.room?.noteExpiration();
  }
}
