/**
 * A purgatory with the numbers an operator asks of it: how many operations were parked, how they left, how long they waited.
 *
 * An operation that is complete at its first try was never parked and counts nowhere. Counting is O(1) and keeps nothing per
 * operation but the time it was parked at.
 */
import { DelayedOperation, type Purgatory, PurgatoryError } from 'purgatory';
import { Refusal } from '../refusal.ts';

/** Of whichever kind: a Purgatory, or a ThresholdPurgatory. What is watched there is between it and those who enter. */
export interface AnyPurgatory {
  readonly name: string;
  readonly numDelayed: number;
  readonly watchedKeys: number;
  tryCompleteElseWatch(operation: WaitingOperation, watched: unknown): boolean;
}

export type WatchedIn<P extends AnyPurgatory> = Parameters<P['tryCompleteElseWatch']>[1];

export interface WaitingRoomOptions {
  /** That of the purgatory. Default: any number. */
  readonly maxParked?: number;
  readonly observer?: RoomObserver;
}

/** Hears of every operation that was parked, when it leaves with an answer. */
export interface RoomObserver {
  onLeave(waitedMs: number): void;
  /** Of those that their deadline completed: how long after it. */
  onExpire(latenessMs: number): void;
}

export class WaitingRoom<P extends AnyPurgatory = Purgatory<string, WaitingOperation>> {
  readonly purgatory: P;
  #parked = 0;
  #completed = 0;
  #expired = 0;
  #waitedMs = 0;

  readonly #maxParked: number;
  readonly #observer: RoomObserver | undefined;

  constructor(purgatory: P, { maxParked = Infinity, observer }: WaitingRoomOptions = {}) {
    this.purgatory = purgatory;
    this.#maxParked = maxParked;
    this.#observer = observer;
  }

  get name(): string {
    return this.purgatory.name;
  }

  /** For who must know before it begins: throws a Refusal when nothing more can be parked. */
  checkRoom(): void {
    if (this.purgatory.numDelayed >= this.#maxParked) throw this.#full();
  }

  /**
   * Completes the operation at once or parks it, at the cost of its purgatory. Throws a Refusal when it would have to wait and
   * there is no room, and what its `tryComplete` or `onComplete` throws.
   */
  enter(operation: WaitingOperation, watched: WatchedIn<P>): void {
    operation.parkedAt = performance.now();
    try {
      if (this.purgatory.tryCompleteElseWatch(operation, watched)) return;
    } catch (error) {
      const isFull = error instanceof PurgatoryError && error.code === 'ERR_PURGATORY_FULL';
      throw isFull ? this.#full() : error;
    }
    this.#parked++;
    operation.room = this;
  }

  #full(): Refusal {
    return new Refusal(`no room for one more ${this.name} to wait, where --max-parked is ${this.#maxParked}`);
  }

  /** For WaitingOperation only. */
  noteCompletion(waitedMs: number): void {
    this.#completed++;
    this.#waitedMs += waitedMs;
    this.#observer?.onLeave(waitedMs);
  }

  /** For WaitingOperation only. */
  noteExpiration(latenessMs: number): void {
    this.#expired++;
    this.#observer?.onExpire(latenessMs);
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
  room: WaitingRoom<AnyPurgatory> | undefined;
  parkedAt = 0;
  #waitedMs = 0;

  protected abstract answer(): void;

  override onComplete(): void {
    this.#waitedMs = performance.now() - this.parkedAt;
    this.room?.noteCompletion(this.#waitedMs);
    this.answer();
  }

  override onExpiration(): void {
    this.room?.noteExpiration(Math.max(0, this.#waitedMs - this.delayMs));
  }
}
