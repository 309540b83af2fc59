/**
 * A purgatory as the broker uses it: who finds no room in it is refused in words, and it can tell
 * how long its operations wait.
 *
 * All counts are the purgatory's own. An operation that is complete at its first try was never
 * parked and counts nowhere.
 */
import { DelayedOperation, type Purgatory, PurgatoryError, type PurgatorySnapshot } from 'purgatory';
import { Refusal } from '../refusal.ts';

/**
 * Of whichever kind: a Purgatory, or a ThresholdPurgatory. What is watched there is between it and
 * those who enter.
 */
export interface AnyPurgatory {
  readonly name: string;
  readonly numDelayed: number;
  tryCompleteElseWatch(operation: WaitingOperation, watched: unknown): boolean;
  snapshot(options: { top: number }): PurgatorySnapshot;
}

export type WatchedIn<P extends AnyPurgatory> = Parameters<P['tryCompleteElseWatch']>[1];

export class WaitingRoom<P extends AnyPurgatory = Purgatory<string, WaitingOperation>> {
  readonly purgatory: P;
  readonly #maxParked: number;
  #answered = 0;
  #waitedMs = 0;

  /** `maxParked` is that of the purgatory. */
  constructor(purgatory: P, maxParked = Infinity) {
    this.purgatory = purgatory;
    this.#maxParked = maxParked;
  }

  get name(): string {
    return this.purgatory.name;
  }

  /** For who must know before it begins: throws a Refusal when nothing more can be parked. */
  checkRoom(): void {
    if (this.purgatory.numDelayed >= this.#maxParked) throw this.#full();
  }

  /**
   * Completes the operation at once or parks it, at the cost of its purgatory. Throws a Refusal
   * when it would have to wait and there is no room, and what its `tryComplete` or `onComplete`
   * throws.
   */
  enter(operation: WaitingOperation, watched: WatchedIn<P>): void {
    operation.parkedAt = performance.now();
    try {
      if (this.purgatory.tryCompleteElseWatch(operation, watched)) return;
    } catch (error) {
      const isFull = error instanceof PurgatoryError && error.code === 'ERR_PURGATORY_FULL';
      throw isFull ? this.#full() : error;
    }
    operation.room = this;
  }

  #full(): Refusal {
    return new Refusal(`no room for one more ${this.name} to wait, where --max-parked is ${this.#maxParked}`);
  }

  /** For WaitingOperation only. */
  noteAnswer(waitedMs: number): void {
    this.#answered++;
    this.#waitedMs += waitedMs;
  }

  /**
   * Completed early, expired and the mean wait are of those that were parked; the rest of them wait
   * or were cancelled.
   */
  counts(): WaitingCounts {
    const { parked, watchedKeys, totals } = this.purgatory.snapshot({ top: 0 });
    return {
      numDelayed: parked,
      watchedKeys,
      parked: totals.parked,
      completedEarly: totals.completed,
      expired: totals.expired,
      meanWaitMs: this.#answered === 0 ? 0 : this.#waitedMs / this.#answered,
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

/**
 * What enters a WaitingRoom: a subclass says in `answer` what happens when the wait is over,
 * however it ended.
 */
export abstract class WaitingOperation extends DelayedOperation {
  room: WaitingRoom<AnyPurgatory> | undefined;
  parkedAt = 0;

  protected abstract answer(): void;

  override onComplete(): void {
    this.room?.noteAnswer(performance.now() - this.parkedAt);
    this.answer();
  }
}
