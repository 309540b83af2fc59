// The errors that have a code of Node's: for a bad argument, and for user code that does not keep
// to its contract.
//
// A TypeError or RangeError with the code that Node would use. It names the argument, the rule and
// the value. A call that throws one for an argument has changed nothing. The rule is put into words
// where it is checked: in checks.ts, or beside the one call that has it.
import { className, functionName, valueText } from './text.ts';

/** A TypeError with ERR_INVALID_ARG_TYPE: `value` is of the wrong type for `name`. */
export function invalidArgType(name: string, expected: string, value: unknown): TypeError {
  const text = `The ${nameOf(name)} must be ${expected}. Received ${typed(value)}`;
  return withCode(new TypeError(text), 'ERR_INVALID_ARG_TYPE', invalidArgType);
}

/** A RangeError with ERR_OUT_OF_RANGE: `value` has the right type and breaks `rule`. */
export function outOfRange(name: string, rule: string, value: unknown): RangeError {
  const text = `The value of "${name}" is out of range. It must be ${rule}. Received ${valueText(value)}`;
  return withCode(new RangeError(text), 'ERR_OUT_OF_RANGE', outOfRange);
}

/**
 * A TypeError with ERR_INVALID_ARG_VALUE: `value` has the right type and cannot be used, for
 * `reason`.
 */
export function invalidArgValue(name: string, reason: string, value: unknown): TypeError {
  const text = `The ${nameOf(name)} ${reason}. Received ${valueText(value)}`;
  return withCode(new TypeError(text), 'ERR_INVALID_ARG_VALUE', invalidArgValue);
}

/**
 * A TypeError with ERR_INVALID_RETURN_VALUE: `name`, a function of the user's, returned `value`,
 * which is not `expected`.
 */
export function invalidReturnValue(expected: string, name: string, value: unknown): TypeError {
  const text = `Expected ${expected} to be returned from the "${name}" function. Received ${typed(value)}`;
  return withCode(new TypeError(text), 'ERR_INVALID_RETURN_VALUE', invalidReturnValue);
}

/** An Error with ERR_METHOD_NOT_IMPLEMENTED: the class `type` lacks the method `name`. */
export function methodNotImplemented(type: string, name: string): Error {
  const error = new Error(`The class ${type} does not implement ${name}()`);
  return withCode(error, 'ERR_METHOD_NOT_IMPLEMENTED', methodNotImplemented);
}

/** An Error with ERR_STREAM_PREMATURE_CLOSE: a stream has closed that was waited for. */
export function prematureClose(): Error {
  return withCode(new Error('Premature close'), 'ERR_STREAM_PREMATURE_CLOSE', prematureClose);
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

/** `toString` with the code, as that of Node's errors. */
export function toStringWithCode(this: Error & { code: string }): string {
  return `${this.name} [${this.code}]: ${this.message}`;
}

function nameOf(name: string): string {
  return `"${name}" ${name.includes('.') ? 'property' : 'argument'}`;
}

function typed(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return `function ${functionName(value)}`;
  if (typeof value === 'object') return `an instance of ${className(value)}`;
  return `type ${typeof value} (${valueText(value)})`;
}
