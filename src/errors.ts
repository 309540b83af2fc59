// The errors that have a code. Each is made here, and nowhere else in src/.
//
// Two families. A PurgatoryError says what went wrong though the arguments were good (closed, full,
// already parked, no reply in time). Its `code` is stable and begins with ERR_PURGATORY_. A bad
// argument, and user code that does not keep to its contract, gets a TypeError or RangeError with
// the code that Node would use. It names the argument, the rule and the value. A call that throws
// one for an argument has changed nothing.
//
// Made elsewhere, as none of them has a code of ours: a DOMException (timeout-signal.ts and
// abort-listeners.ts, wait-for.ts), the AggregateError of two throws (delayed-operation.ts), the
// AbortError of Node's timers (timers/promises.ts), the plain Errors in which a bus says why a
// connection broke (src/bus), and mustHold in tests (must-hold.ts).
import { inspect } from 'node:util';

/** The stable codes of {@link PurgatoryError}. */
export type PurgatoryErrorCode =
  /**
   * What was called has been closed: a timer, a purgatory, a bus, replies, idle timeouts, shared
   * waits.
   */
  | 'ERR_PURGATORY_CLOSED'
  /** `maxPending` or `maxParked` is reached. */
  | 'ERR_PURGATORY_FULL'
  /** The waiter was taken out by `cancelForKey`. */
  | 'ERR_PURGATORY_CANCELLED'
  /** The operation is parked already. */
  | 'ERR_PURGATORY_ALREADY_WATCHED'
  /** The task is pending in another timer, or parked in a purgatory. */
  | 'ERR_PURGATORY_ALREADY_PENDING'
  /** `tryComplete` returned true, but the operation is not completed. */
  | 'ERR_PURGATORY_NOT_COMPLETED'
  /** The operation was frozen while it was parked, and cannot be told that it has left. */
  | 'ERR_PURGATORY_FROZEN'
  /** `checkAndComplete` inside a try led to the same try again and again. */
  | 'ERR_PURGATORY_ENDLESS_TRIES'
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
  /** No reply came by the deadline. */
  | 'ERR_PURGATORY_TIMEOUT'
  /** A reply with this id is expected already. */
  | 'ERR_PURGATORY_ALREADY_EXPECTED';

/** An error of the library's own. Tell one from another by its `code`, never by its message. */
export class PurgatoryError extends Error {
  /** One of `ERR_PURGATORY_*`; stable across releases. */
  readonly code: string;

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

/** A TypeError with ERR_INVALID_ARG_TYPE: `value` is of the wrong type for `name`. */
export function invalidArgType(name: string, expected: string, value: unknown): TypeError {
  return withCode(
    new TypeError(`The ${nameOf(name)} must be ${expected}. Received ${typed(value)}`),
    'ERR_INVALID_ARG_TYPE',
    invalidArgType,
  );
}

/** A RangeError with ERR_OUT_OF_RANGE: `value` has the right type and breaks `rule`. */
export function outOfRange(name: string, rule: string, value: unknown): RangeError {
  return withCode(
    new RangeError(`The value of "${name}" is out of range. It must be ${rule}. Received ${shown(value)}`),
    'ERR_OUT_OF_RANGE',
    outOfRange,
  );
}

/**
 * A TypeError with ERR_INVALID_ARG_VALUE: `value` has the right type and cannot be used, for
 * `reason`.
 */
export function invalidArgValue(name: string, reason: string, value: unknown): TypeError {
  return withCode(
    new TypeError(`The ${nameOf(name)} ${reason}. Received ${shown(value)}`),
    'ERR_INVALID_ARG_VALUE',
    invalidArgValue,
  );
}

export function timerClosed(): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', 'The timer is closed');
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

export function purgatoryClosed(name: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `Purgatory "${name}" is closed`);
}

export function timerOfPurgatoryClosed(name: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `The timer of purgatory "${name}" was closed`);
}

export function purgatoryFull(name: string, maxParked: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_FULL', `Purgatory "${name}" is full: maxParked is ${maxParked}`);
}

export function waitCancelled(name: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CANCELLED', `The wait was cancelled in purgatory "${name}"`);
}

/**
 * For an operation that is to be parked and cannot be: it is parked already, or pending in a timer.
 */
export function operationPending(isParked: boolean): PurgatoryError {
  return isParked
    ? new PurgatoryError('ERR_PURGATORY_ALREADY_WATCHED', 'The operation is parked already: park it once')
    : new PurgatoryError(
        'ERR_PURGATORY_ALREADY_PENDING',
        'The operation is pending in a timer as a plain task: cancel it there before parking it',
      );
}

export function repliesClosed(): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', 'The replies are closed: no reply will come any more');
}

export function timerOfRepliesClosed(): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', 'The timer of the replies was closed');
}

export function repliesFull(maxPending: number): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_FULL',
    `Too many replies are expected: maxPending is ${maxPending}`,
  );
}

export function replyExpected(id: string): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_ALREADY_EXPECTED',
    `A reply to ${id} is expected already: give each request an id of its own`,
  );
}

export function replyTimedOut(id: string, timeoutMs: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_TIMEOUT', `No reply to ${id} within ${timeoutMs} ms`);
}

export function idleTimeoutsClosed(): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', 'The IdleTimeouts are closed');
}

export function sharedWaitsClosed(name: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `SharedWaits "${name}" are closed`);
}

export function busClosed(): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', 'The bus is closed');
}

export function nameJoined(name: string): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_ALREADY_JOINED',
    `"${name}" has joined this bus already: each name is joined once in a process`,
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
  return new PurgatoryError(
    'ERR_PURGATORY_BUS_REFUSED',
    message,
    cause === undefined ? undefined : { cause },
  );
}

export function foreignProtocol(theirs: unknown, ours: number): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_BUS_PROTOCOL',
    `A process on this bus speaks version ${theirs} of its protocol, this one version ${ours}: ` +
      'they do not hear each other. Give processes of different versions different prefixes',
  );
}

/** For a text that is not of the protocol. */
export function foreignText(text: string): PurgatoryError {
  const shown = text.length > 100 ? `${text.slice(0, 99)}…` : text;
  return new PurgatoryError(
    'ERR_PURGATORY_BUS_PROTOCOL',
    `Something else publishes on this bus: ${JSON.stringify(shown)}. Choose another prefix`,
  );
}

/**
 * A TypeError with ERR_INVALID_RETURN_VALUE: `name`, a function of the user's, returned `value`,
 * which is not `expected`.
 */
export function invalidReturnValue(expected: string, name: string, value: unknown): TypeError {
  return withCode(
    new TypeError(
      `Expected ${expected} to be returned from the "${name}" function. Received ${typed(value)}`,
    ),
    'ERR_INVALID_RETURN_VALUE',
    invalidReturnValue,
  );
}

/** An Error with ERR_METHOD_NOT_IMPLEMENTED: the class `type` lacks the method `name`. */
export function methodNotImplemented(type: string, name: string): Error {
  const error = new Error(`The class ${type} does not implement ${name}()`);
  return withCode(error, 'ERR_METHOD_NOT_IMPLEMENTED', methodNotImplemented);
}

export function notCompleted(type: string): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_NOT_COMPLETED',
    `tryComplete of a ${type} returned true, but the operation is not completed: call forceComplete(), and return what that returns`,
  );
}

export function operationFrozen(type: string): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_FROZEN',
    `A ${type} was frozen while it was parked. It has left, but its isPending and isCompleted cannot change any more`,
  );
}

export function endlessTries(type: string): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_ENDLESS_TRIES',
    `tryComplete of a ${type} calls checkAndComplete, which tries the same operation again, without end: a condition must not cause events on its own keys`,
  );
}

/** Bounds of a numeric option, for {@link checkedNumber}. */
export interface NumberRule {
  readonly min: number;
  readonly max: number;
  readonly integer?: boolean;
  /** Accept Infinity besides, as "no limit". */
  readonly orInfinity?: boolean;
}

/**
 * `value`, or `fallback` when it is undefined. @throws TypeError, RangeError in Node's codes when
 * it breaks `rule`.
 */
export function checkedNumber(name: string, value: unknown, fallback: number, rule: NumberRule): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number') throw invalidArgType(name, 'of type number', value);
  if (rule.orInfinity === true && value === Number.POSITIVE_INFINITY) return value;
  if (value >= rule.min && value <= rule.max && (rule.integer !== true || Number.isInteger(value)))
    return value;
  throw outOfRange(name, textOf(rule), value);
}

/** The rule in words, with the names of the bounds that nobody knows by heart. */
function textOf({ min, max, integer, orInfinity }: NumberRule): string {
  const kind = integer === true ? 'an integer' : 'a number';
  const least = min === Number.MIN_VALUE ? '> 0' : `>= ${min}`;
  const most = max === Number.MAX_SAFE_INTEGER ? 'Number.MAX_SAFE_INTEGER' : max;
  return `${kind} ${least} and <= ${most}${orInfinity === true ? ', or Infinity' : ''}`;
}

/**
 * `value` if it is a function or undefined. @throws TypeError with ERR_INVALID_ARG_TYPE otherwise.
 */
export function checkedFunction<F>(name: string, value: F): F {
  if (value !== undefined && typeof value !== 'function') {
    throw invalidArgType(name, 'of type function', value);
  }
  return value;
}

/**
 * `value` if it is an object, or an empty one for undefined. @throws TypeError with
 * ERR_INVALID_ARG_TYPE otherwise, and for an AbortSignal, which belongs into an object.
 */
export function checkedOptions<T extends object>(value: T | undefined): Partial<T> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null) throw invalidArgType('options', 'of type object', value);
  if (value instanceof AbortSignal) {
    throw invalidArgType('options', 'an object of options, such as { signal }', value);
  }
  return value;
}

/**
 * `error` with `code`. Its stack and `String(error)` tell the code too, as those of Node's errors
 * do. The stack begins outside of `maker`.
 */
function withCode<E extends Error>(error: E, code: string, maker: (...args: never[]) => Error): E {
  Error.captureStackTrace(error, maker);
  Object.defineProperty(error, 'name', { value: `${error.name} [${code}]`, configurable: true });
  void error.stack; // V8 writes it at its first reading, with the name that the error has then
  Reflect.deleteProperty(error, 'name');
  Object.defineProperty(error, 'toString', { value: toStringWithCode, configurable: true, writable: true });
  return Object.assign(error, { code });
}

function toStringWithCode(this: Error & { code: string }): string {
  return `${this.name} [${this.code}]: ${this.message}`;
}

function nameOf(name: string): string {
  return `"${name}" ${name.includes('.') ? 'property' : 'argument'}`;
}

/** A long text is cut: it may be a key of a kilobyte. */
function shown(value: unknown): string {
  return inspect(value, { maxStringLength: 100 });
}

function typed(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return `function ${value.name}`;
  if (typeof value === 'object')
    return `an instance of ${value.constructor?.name ?? inspect(value, { depth: -1 })}`;
  return `type ${typeof value} (${shown(value)})`;
}
