// The errors of the library's own: all PurgatoryErrors. Each is made here, and nowhere else in
// src/.
//
// A PurgatoryError says what went wrong though the arguments were good (closed, full, already
// parked, no reply in time). Its `code` is stable and begins with ERR_PURGATORY_. Errors for bad
// arguments and bad user code have Node's codes: node-errors.ts. The few others have no code of
// ours: DOMExceptions and AbortErrors of signals, the AggregateError of two throws, and the plain
// Errors in which a bus says why a connection broke.
import { toStringWithCode } from './node-errors.ts';
import { cut, keyText } from './text.ts';

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
  /**
   * The server behind the bus cannot serve it, now or later: no permission, a replica, a pooler.
   */
  | 'ERR_PURGATORY_BUS_REFUSED'
  /**
   * The primary of node:cluster does not relay, or the call belongs in another process of the
   * cluster.
   */
  | 'ERR_PURGATORY_NO_RELAY'
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

export function timerClosed(type: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `The ${type} is closed`);
}

export function timerFull(maxPending: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_FULL', `The timer is full: maxPending is ${maxPending}`);
}

export function taskPendingElsewhere(): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_ALREADY_PENDING',
    'The task is pending in another timer or parked in a purgatory: cancel it there first',
  );
}

/**
 * @param cause says what `close` has ended. It is printed with the error of a wait that nobody
 * awaits. It is not in the message, because a client may see the message.
 */
export function purgatoryClosed(name: string, cause?: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `Purgatory "${name}" is closed`, withCause(cause));
}

export function purgatoryFull(name: string, maxParked: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_FULL', `Purgatory "${name}" is full: maxParked is ${maxParked}`);
}

export function waitCancelled(name: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CANCELLED', `The wait was cancelled in purgatory "${name}"`);
}

/**
 * For an operation that is to be parked and cannot be: it is parked already, or pending in a timer.
 *
 * @param parkedIn the name of the purgatory in which it is parked.
 */
export function operationPending(type: string, parkedIn: string | undefined): PurgatoryError {
  return parkedIn !== undefined
    ? new PurgatoryError(
        'ERR_PURGATORY_ALREADY_WATCHED',
        `The ${type} is parked already, in purgatory "${parkedIn}": park each operation once`,
      )
    : new PurgatoryError(
        'ERR_PURGATORY_ALREADY_PENDING',
        `The ${type} is pending in a timer as a plain task: cancel it there before parking it`,
      );
}

/** For the timer that was given to share with something: `of` says what that is. */
export function sharedTimerClosed(of: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `The timer of ${of} was closed`);
}

export function repliesClosed(name: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `Replies "${name}" are closed: none will come any more`);
}

export function repliesFull(name: string, maxPending: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_FULL', `Replies "${name}" are full: maxPending is ${maxPending}`);
}

export function replyExpected(id: string): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_ALREADY_EXPECTED',
    `A reply to ${id} is expected already: give each request an id of its own`,
  );
}

/** @param to the id and the label of the request. */
export function replyTimedOut(name: string, to: string, timeoutMs: number): PurgatoryError {
  return notWithin(timeoutMs, `No reply of "${name}" to ${to}`);
}

/** @param why which units are held, and by whom. */
export function permitTimedOut(of: string, timeoutMs: number, why: string): PurgatoryError {
  return notWithin(timeoutMs, `No permit of ${of}`, `: ${why}`);
}

export function loadTimedOut(name: string, keys: number, timeoutMs: number): PurgatoryError {
  const load = keys === 1 ? 'A load of 1 key' : `A load of ${keys} keys`;
  return notWithin(timeoutMs, `${load} of SharedWaits "${name}" has not ended`);
}

export function currentTimedOut(key: string, timeoutMs: number): PurgatoryError {
  return notWithin(timeoutMs, `current of the key ${key} has not ended`);
}

/** @param others how many keys there are beside `key`. */
export function itemTimedOut(name: string, key: string, others: number, timeoutMs: number): PurgatoryError {
  const keys = others === 0 ? `the key ${key}` : `the key ${key} and ${others} more`;
  return notWithin(timeoutMs, `No item of "${name}" for ${keys}`);
}

export function queuesFull(name: string, maxItems: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_FULL', `Queues "${name}" are full: maxItems is ${maxItems}`);
}

export function idleTimeoutsClosed(name: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `IdleTimeouts "${name}" are closed`);
}

export function busClosed(): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', 'The bus is closed');
}

export function nameJoined(name: string): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_ALREADY_JOINED',
    `"${name}" has joined this bus already: share what has the name in this process, or take another`,
  );
}

export function relayCalledTwice(): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_ALREADY_JOINED', 'relayBus() was called before in this process');
}

export function noRelay(message: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_NO_RELAY', message);
}

/**
 * The error by which a transport says that trying again is no use: no permission, the wrong kind of
 * server. The bus reports it and closes.
 *
 * @param cause what the engine or its client said.
 */
export function refusal(message: string, cause?: unknown): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_BUS_REFUSED', message, withCause(cause));
}

function withCause(cause: unknown): ErrorOptions | undefined {
  return cause === undefined ? undefined : { cause };
}

export function foreignProtocol(theirs: unknown, ours: number): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_BUS_PROTOCOL',
    `A process on this bus speaks version ${theirs} of its protocol, this one version ${ours}: ` +
      'they do not hear each other. Give processes of different versions different prefixes',
  );
}

/** For what is not of the protocol: a text, or whatever a program posts to a channel of threads. */
export function foreignText(text: unknown): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_BUS_PROTOCOL',
    `Something else publishes on this bus: ${JSON.stringify(keyText(text))}. Choose another prefix`,
  );
}

/** For several texts of others in a second. @param error that of the last. */
export function foreignTexts(error: unknown, texts: number): PurgatoryError {
  const message = `${texts} texts in a second. The last: ${(error as Error).message}`;
  return new PurgatoryError('ERR_PURGATORY_BUS_PROTOCOL', message, { cause: error });
}

/** @param why they were not sent. */
export function hintsLost(
  engine: string,
  why: string,
  names: readonly string[],
  cause?: unknown,
): PurgatoryError {
  const whose = cut(names.map((name) => `"${name}"`).join(', '));
  const message = `Hints for ${whose} have reached no other process: ${why} (a bus over ${engine})`;
  return new PurgatoryError('ERR_PURGATORY_HINTS_LOST', message, withCause(cause));
}

export function notCompleted(type: string): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_NOT_COMPLETED',
    `tryComplete of a ${type} returned true, but the operation is not completed: call forceComplete(), and return what that returns`,
  );
}

/** @param timeoutMs is said as 250 ms, 1500 ms, 10 s. */
function notWithin(timeoutMs: number, what: string, why = ''): PurgatoryError {
  const span = timeoutMs > 0 && timeoutMs % 1_000 === 0 ? `${timeoutMs / 1_000} s` : `${timeoutMs} ms`;
  return new PurgatoryError('ERR_PURGATORY_TIMEOUT', `${what} within ${span}${why}`);
}
