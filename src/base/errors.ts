// The errors of the library's own: all are PurgatoryErrors.
//
// A PurgatoryError says what went wrong though the arguments were good (closed, full, already
// parked, no reply in time). Its `code` is stable and begins with ERR_PURGATORY_. What many say is
// made here: closed, full, not within a time. Any other text stands where it is thrown. Errors for
// bad arguments and bad user code have Node's codes: node-errors.ts. The few others have no code of
// ours: DOMExceptions and AbortErrors of signals, the AggregateError of two throws, and what a bus
// passes on of its client.
import { toStringWithCode } from './node-errors.ts';

/** The stable codes of {@link PurgatoryError}. */
export type PurgatoryErrorCode =
  /**
   * What was called has been closed: a timer, a purgatory, a semaphore, queues, a bus, replies,
   * idle timeouts, shared waits.
   */
  | 'ERR_PURGATORY_CLOSED'
  /** `maxPending`, `maxParked` or `maxItems` is reached. */
  | 'ERR_PURGATORY_FULL'
  /** The wait was taken out by `cancelForKey`. */
  | 'ERR_PURGATORY_CANCELLED'
  /** The operation is parked already. */
  | 'ERR_PURGATORY_ALREADY_WATCHED'
  /** The task is pending in another timer, or parked in a purgatory. */
  | 'ERR_PURGATORY_ALREADY_PENDING'
  /** `tryComplete` returned true, but the operation is not completed. */
  | 'ERR_PURGATORY_NOT_COMPLETED'
  /** The bus has a member of that name in this process, or the process relays already. */
  | 'ERR_PURGATORY_ALREADY_JOINED'
  /** The transport of the bus says that trying again is no use. The bus has closed. */
  | 'ERR_PURGATORY_BUS_REFUSED'
  /**
   * The server behind the bus cannot serve it now: no permission, a replica, a pooler. The bus tries
   * again.
   */
  | 'ERR_PURGATORY_BUS_UNFIT'
  /** Why a bus is not live, where its client has no code for it: an echo that did not come back. */
  | 'ERR_PURGATORY_BUS_GAP'
  /**
   * The primary of node:cluster does not relay, or the call belongs in another process of the
   * cluster.
   */
  | 'ERR_PURGATORY_NO_RELAY'
  /** Most other processes have fallen silent at once: the engine of the bus may be split. */
  | 'ERR_PURGATORY_BUS_DOUBT'
  /** Another process sent a text of another version of the protocol, or one that is no frame. */
  | 'ERR_PURGATORY_BUS_PROTOCOL'
  /** A bus has dropped hints: its engine refused them, or the bus was closed before they were sent. */
  | 'ERR_PURGATORY_HINTS_LOST'
  /** No reply, permit or item came by the deadline, or a load has not ended in time. */
  | 'ERR_PURGATORY_TIMEOUT'
  /** A reply with this id is expected already. */
  | 'ERR_PURGATORY_ALREADY_EXPECTED';

/** An error of the library's own. Tell one from another by its `code`, never by its message. */
export class PurgatoryError extends Error {
  /** One of `ERR_PURGATORY_*`; stable across releases. */
  readonly code: PurgatoryErrorCode;

  constructor(code: PurgatoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** With the code, as Node's errors have it. */
  override toString(): string {
    return toStringWithCode.call(this);
  }

  static {
    // On the prototype, as the built-in errors have it, so that it is not printed as a property of
    // each instance.
    Object.defineProperty(PurgatoryError.prototype, 'name', {
      value: 'PurgatoryError',
      writable: true,
      configurable: true,
    });
  }
}

/** Counts `error` in `refused`, by its code, if it is one of ours: what snapshots show as refused. */
export function countRefusal(refused: Record<string, number>, error: unknown): void {
  if (error instanceof PurgatoryError) refused[error.code] = (refused[error.code] ?? 0) + 1;
}

/**
 * @param of the class and the name of what is closed.
 * @param cause says what `close` has ended. It is printed with the error of a wait that nobody
 * awaits. It is not in the message, because a client may see the message.
 */
export function closed(of: string, cause?: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `${of} is closed`, cause === undefined ? {} : { cause });
}

/** @param option the one that is reached, and `most` its value. */
export function full(of: string, option: string, most: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_FULL', `${of} is full: ${option} is ${most}`);
}

/** @param timeoutMs is said as 250 ms, 1500 ms, 10 s. */
export function notWithin(what: string, timeoutMs: number, why = ''): PurgatoryError {
  const span = timeoutMs > 0 && timeoutMs % 1_000 === 0 ? `${timeoutMs / 1_000} s` : `${timeoutMs} ms`;
  return new PurgatoryError('ERR_PURGATORY_TIMEOUT', `${what} within ${span}${why}`);
}
