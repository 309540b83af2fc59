/// <reference types="node" preserve="true" />
// The totals of one purgatory, and the events that it publishes on channels of
// node:diagnostics_channel. No other file of the purgatory counts or publishes.
//
// Ground rules. A Parking calls it when the lists are sound and no place is held in a local
// variable. It calls subscribers alone (the rules are those of timer/timer-meter.ts). It keeps the
// operations whose try is open, until they leave. A parked operation causes one event `parked`, then
// any number of `tried`, and when it leaves one of `completed`, `expired`, `cancelled` and
// `rejected`. An operation that its first try completes, or whose try at parking throws, was never
// parked and causes no event.

import { type Channel, channel } from 'node:diagnostics_channel';
import { debug, isDebugging } from '../../base/debug.ts';
import { throwLater } from '../../base/report-error.ts';
import { keyText } from '../../base/text.ts';
import { inOwnScope } from '../../clock/root-context.ts';
import type { Timer } from '../../timer/timer.ts';
import { ENDLESS } from '../../timer/timer-task.ts';
import type { DelayedOperation, End, Keeper } from '../delayed-operation.ts';

/** How operations left their purgatory, counted since it was made. */
export interface PurgatoryTotals {
  /** Entered: those that left, and those that are parked now. */
  parked: number;
  /** Answered before the deadline: by an event, or forced. */
  completed: number;
  /** Answered by the deadline. */
  expired: number;
  /** Taken out unanswered: cancelled, aborted or closed. */
  cancelled: number;
  /** Taken out unanswered, because its own condition threw, or its load failed. */
  rejected: number;
  /**
   * Throws of user code that were reported. The operation counts as completed, expired or still
   * parked besides.
   */
  failed: number;
}

/** Where the operation is, or was, parked: a purgatory of any kind. */
export interface Named {
  readonly name: string;
}

/** `purgatory:pass:sliced`: events have yielded to the event loop with more to serve. */
export interface PassSliced {
  readonly purgatory: Named;
  /** Keys whose event has not begun. */
  readonly pendingKeys: number;
}

const passSliced: Channel = channel('purgatory:pass:sliced');

/** `purgatory:operation:parked`: the operation is on its watch lists and in the timer. */
export interface OperationParked {
  readonly purgatory: Named;
  readonly operation: DelayedOperation;
  /** As they were given: watch keys, or pairs of a key and its threshold. */
  readonly watches: readonly unknown[];
}

/** `purgatory:operation:tried`: a parked operation is about to be tried. */
export interface OperationTried {
  readonly purgatory: Named;
  readonly operation: DelayedOperation;
  /**
   * The key of the event. Undefined for a sweep, for the try that follows one whose promise has
   * settled, and for the one more try right after parking.
   */
  readonly key: unknown;
}

/**
 * `purgatory:operation:completed`, `...:expired`, `...:cancelled`: the operation has left the timer
 * and every watch list, and neither `onComplete` nor `onExpiration` has run yet. Completed means
 * answered before the deadline, cancelled means unanswered (aborted and closed included).
 */
export interface OperationEnded {
  readonly purgatory: Named;
  readonly operation: DelayedOperation;
  /** How long it was parked, in whole ms by the timer's clock. */
  readonly parkedMs: number;
}

/**
 * `purgatory:operation:rejected`: as the other ends. Its own condition threw, or its load failed.
 */
export interface OperationRejected extends OperationEnded {
  readonly error: unknown;
  /** The key of the event that caused the try, or else the first key that it watched. */
  readonly key: unknown;
}

/** `purgatory:operation:error`: user code of an operation threw inside a pass or an expiry. */
export interface OperationError {
  readonly purgatory: Named;
  readonly operation: DelayedOperation;
  readonly error: unknown;
  /** The key of the event. Undefined for an expiry. */
  readonly key: unknown;
}

const operationParked: Channel = channel('purgatory:operation:parked');
const operationTried: Channel = channel('purgatory:operation:tried');
const operationError: Channel = channel('purgatory:operation:error');

const ends: Readonly<Record<End, Channel>> = {
  completed: channel('purgatory:operation:completed'),
  expired: channel('purgatory:operation:expired'),
  cancelled: channel('purgatory:operation:cancelled'),
  rejected: channel('purgatory:operation:rejected'),
};

export class PurgatoryMeter {
  #purgatory!: Named;
  readonly #timer: Timer;
  readonly #counts = { completed: 0, expired: 0, cancelled: 0, rejected: 0, failed: 0 };

  /** How many are parked without a deadline. Written here alone. */
  endless = 0;
  /** Parked ones with a try whose promise has not settled, and since when; the oldest try first. */
  readonly openTries: Map<DelayedOperation, number> = new Map();
  /** Refusals by the code of their error. `countRefusal` of base/errors.ts writes them. */
  readonly refused: Record<string, number> = { ERR_PURGATORY_FULL: 0 };

  constructor(timer: Timer) {
    this.#timer = timer;
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

  /** The time by the timer's clock, in ms. One reading. */
  now(): number {
    return this.#timer.now();
  }

  /** For what is noted or published: user code follows, also where the clock throws. */
  #nowMs(): number {
    try {
      return this.#timer.now();
    } catch (error) {
      throwLater(error);
      return this.#timer.lastReadingMs;
    }
  }

  /** A try of a parked operation has returned a promise. O(1). */
  didOpenTry(operation: DelayedOperation): void {
    if (!this.openTries.has(operation)) this.openTries.set(operation, this.#nowMs());
  }

  /** That promise has settled. */
  didCloseTry(operation: DelayedOperation): void {
    this.openTries.delete(operation);
  }

  didPark(operation: DelayedOperation, watches: readonly unknown[]): void {
    if (operation.$slot === ENDLESS) this.endless++;
    if (!operationParked.hasSubscribers) return;
    const event = { purgatory: this.#purgatory, operation, watches: [...watches] };
    operationParked.publish(event satisfies OperationParked);
  }

  /** Whether `willTry` has a listener. A pass reads it once, since it tries many. */
  get hasTryListener(): boolean {
    return operationTried.hasSubscribers;
  }

  /** False where a listener has taken it out. */
  willTry(operation: DelayedOperation, key: unknown, keeper: Keeper): boolean {
    operationTried.publish({ purgatory: this.#purgatory, operation, key } satisfies OperationTried);
    return operation.$keeper === keeper;
  }

  /** One leaves. */
  count(how: End, isEndless: boolean): void {
    this.#counts[how]++;
    if (isEndless) this.endless--;
  }

  /**
   * It has left.
   *
   * @param why of a rejection: what was thrown, and the key of {@link OperationRejected}.
   */
  didEnd(how: End, operation: DelayedOperation, stamp: number, why?: { error: unknown; key: unknown }): void {
    if (this.openTries.size > 0) this.openTries.delete(operation);
    if (why !== undefined) this.#debugThrow(operation, why.error, why.key);
    if (!ends[how].hasSubscribers) return;
    const parkedMs = ageMs(stamp, this.#nowMs());
    ends[how].publish({ purgatory: this.#purgatory, operation, parkedMs, ...why } satisfies OperationEnded);
  }

  /** Whether somebody hears of rejections: a listener, or a reader of NODE_DEBUG. */
  get isRejectionHeard(): boolean {
    return isDebugging || ends.rejected.hasSubscribers;
  }

  didSlice(pendingKeys: number): void {
    if (!passSliced.hasSubscribers) return;
    const sliced: PassSliced = { purgatory: this.#purgatory, pendingKeys };
    inOwnScope(() => passSliced.publish(sliced));
  }

  didThrow(operation: DelayedOperation, error: unknown, key: unknown): void {
    this.#counts.failed++;
    this.#debugThrow(operation, error, key);
    if (operationError.hasSubscribers) {
      operationError.publish({ purgatory: this.#purgatory, operation, error, key } satisfies OperationError);
    }
  }

  #debugThrow(operation: DelayedOperation, error: unknown, key: unknown): void {
    if (!isDebugging) return;
    const label = operation.$label === undefined ? '' : ` labelled "${operation.$label}"`;
    const event = key === undefined ? '' : ` for the key ${keyText(key)}`;
    debug('purgatory "%s": a %s%s threw%s: %s', this.#purgatory.name, operation.$type, label, event, error);
  }
}

/**
 * How long ago an operation was parked, in whole ms. Its stamp is the time then, in whole ms modulo
 * 2^32, as an int32: so an age is right up to 49 days.
 */
export function ageMs(stamp: number, nowMs: number): number {
  return ((nowMs | 0) - stamp) >>> 0;
}
