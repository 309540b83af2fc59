// The totals of one purgatory, and the events that it publishes. No other file of the purgatory
// counts or publishes.
//
// Ground rules. A Parking calls it when the lists are sound and no place is held in a local
// variable. It calls nobody but subscribers. It keeps no operation.
//
// Park times. The lists keep the time at which an operation was parked as an int32 stamp: whole ms
// modulo 2^32. An age is right up to 49 days. For an operation with a deadline the timer has just
// read the clock: that reading is the stamp. For an operation without a deadline, the clock is read
// once more. With a timer from outside that has no `lastReadingMs`, it is read for every operation.

import { debug } from '../../base/debug.ts';
import { systemClock } from '../../clock/system-clock.ts';
import type { Timer } from '../../timer/timer.ts';
import type { DelayedOperation } from '../delayed-operation.ts';
import {
  type Named,
  type OperationEnded,
  type OperationError,
  type OperationParked,
  type OperationRejected,
  type OperationTried,
  operationCancelled,
  operationCompleted,
  operationError,
  operationExpired,
  operationParked,
  operationRejected,
  operationTried,
  type PassSliced,
  passSliced,
} from './operation-events.ts';
import { type PurgatoryTotals, Rates } from './rates.ts';

/** The time of timers that do not tell theirs. */
const systemTime = {
  now: (): number => systemClock.now(),
  get lastReadingMs(): number {
    return systemClock.now();
  },
};

/** How an operation leaves, if it is not rejected. */
type End = 'completed' | 'expired' | 'cancelled';

const channels = {
  completed: operationCompleted,
  expired: operationExpired,
  cancelled: operationCancelled,
} as const;

export class PurgatoryMeter {
  readonly rates: Rates;
  #purgatory!: Named;
  readonly #time: { now(): number; readonly lastReadingMs: number };
  readonly #counts = { completed: 0, expired: 0, cancelled: 0, rejected: 0, failed: 0 };

  /** Refusals by the code of their error. */
  readonly #refused: Record<string, number> = { ERR_PURGATORY_FULL: 0 };

  constructor(timer: Timer) {
    this.#time =
      timer.now === undefined || timer.lastReadingMs === undefined
        ? systemTime
        : (timer as typeof systemTime);
    this.rates = new Rates(this.#time.now());
  }

  /** To be called once, before anything is parked: events name this purgatory. */
  observe(purgatory: Named): void {
    this.#purgatory = purgatory;
  }

  /** @param size how many are parked now. */
  totals(size: number): PurgatoryTotals {
    const { completed, expired, cancelled, rejected } = this.#counts;
    return { parked: size + completed + expired + cancelled + rejected, ...this.#counts };
  }

  get refused(): Record<string, number> {
    return { ...this.#refused };
  }

  /** Something was not parked, and its caller gets an error with this code. */
  didRefuse(code: string): void {
    this.#refused[code] = (this.#refused[code] ?? 0) + 1;
  }

  /** The time by the timer's clock, in ms. One reading. */
  now(): number {
    return this.#time.now();
  }

  /**
   * The stamp of an operation that is being parked for `delayMs`; to be called when its timer has
   * it.
   */
  stamp(delayMs: number): number {
    return (delayMs === Number.POSITIVE_INFINITY ? this.#time.now() : this.#time.lastReadingMs) | 0;
  }

  didPark(operation: DelayedOperation, watches: readonly unknown[]): void {
    if (operationParked.hasSubscribers) {
      const event = { purgatory: this.#purgatory, operation, watches: [...watches] };
      operationParked.publish(event satisfies OperationParked);
    }
  }

  /** Whether somebody listens to `willTry`; a pass asks once, since it tries many. */
  get tellsTries(): boolean {
    return operationTried.hasSubscribers;
  }

  willTry(operation: DelayedOperation, key: unknown): void {
    operationTried.publish({ purgatory: this.#purgatory, operation, key } satisfies OperationTried);
  }

  didEnd(how: End, operation: DelayedOperation, stamp: number): void {
    this.#counts[how]++;
    const told = channels[how];
    if (!told.hasSubscribers) return;
    const parkedMs = ageMs(stamp, this.#time.now());
    told.publish({ purgatory: this.#purgatory, operation, parkedMs } satisfies OperationEnded);
  }

  /** Whether somebody listens to `didReject`. */
  get tellsRejections(): boolean {
    return operationRejected.hasSubscribers;
  }

  didReject(operation: DelayedOperation, stamp: number, error: unknown, key: unknown): void {
    this.#counts.rejected++;
    this.#debugThrow(operation, error);
    if (!operationRejected.hasSubscribers) return;
    const purgatory = this.#purgatory;
    const parkedMs = ageMs(stamp, this.#time.now());
    operationRejected.publish({ purgatory, operation, parkedMs, error, key } satisfies OperationRejected);
  }

  didSlice(pendingKeys: number, passesUnderWay: number): void {
    if (!passSliced.hasSubscribers) return;
    passSliced.publish({ purgatory: this.#purgatory, pendingKeys, passesUnderWay } satisfies PassSliced);
  }

  didThrow(operation: DelayedOperation, error: unknown, key: unknown): void {
    this.#counts.failed++;
    this.#debugThrow(operation, error);
    if (operationError.hasSubscribers) {
      operationError.publish({ purgatory: this.#purgatory, operation, error, key } satisfies OperationError);
    }
  }

  #debugThrow(operation: DelayedOperation, error: unknown): void {
    debug('purgatory "%s": a %s threw %s', this.#purgatory.name, operation.constructor.name, error);
  }
}

/** How long ago the stamp was made, in whole ms. */
export function ageMs(stamp: number, nowMs: number): number {
  return ((nowMs | 0) - stamp) >>> 0;
}
