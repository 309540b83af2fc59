// The events of parked operations, on channels of node:diagnostics_channel. The rules are those of
// timer/telemetry/timer-events.ts.
//
// A parked operation causes one event `parked`, then any number of `tried`, and when it leaves one
// of `completed`, `expired`, `cancelled` and `rejected`. An operation that its first try completes, or
// whose first try throws, was never parked and causes no event.
import { type Channel, channel } from 'node:diagnostics_channel';
import type { DelayedOperation } from '../delayed-operation.ts';

/** Where the operation is, or was, parked: a purgatory of any kind. */
export interface Named {
  readonly name: string;
}

/** `purgatory:pass:sliced`: events have yielded to the event loop with more to serve. */
export interface PassSliced {
  readonly purgatory: Named;
  /** Keys whose event has not begun. */
  readonly pendingKeys: number;
  /** Events that have begun. */
  readonly passesUnderWay: number;
}

export const passSliced: Channel = channel('purgatory:pass:sliced');

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
   * The key of the event. Undefined for the second try, right after parking, for a sweep, and for
   * the attempt that follows one whose promise has settled.
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
 * `purgatory:operation:rejected`: as the other ends. Its own attempt, `accept` or second try threw,
 * or its load failed.
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

export const operationParked: Channel = channel('purgatory:operation:parked');
export const operationTried: Channel = channel('purgatory:operation:tried');
export const operationCompleted: Channel = channel('purgatory:operation:completed');
export const operationExpired: Channel = channel('purgatory:operation:expired');
export const operationCancelled: Channel = channel('purgatory:operation:cancelled');
export const operationRejected: Channel = channel('purgatory:operation:rejected');
export const operationError: Channel = channel('purgatory:operation:error');
