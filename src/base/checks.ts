// The rules for arguments and options that many calls have, each once: numbers, delays, functions,
// texts, arrays, objects of options, signals and clocks.
//
// Invariants. `checked...` is for optional values, `required...` for the others. Each returns its
// value, or throws before anything has changed: a TypeError with ERR_INVALID_ARG_TYPE for a value
// of the wrong type, a RangeError with ERR_OUT_OF_RANGE for a number that breaks its rule. The
// error calls the value `name`. A rule that one call has stands beside that call; those of a timer
// are in timer/system-timer-options.ts. O(1).
import { debug, isDebugging } from './debug.ts';
import { invalidArgType, invalidArgValue, outOfRange } from './node-errors.ts';

/** Bounds of a number, for {@link checkedNumber} and {@link requiredNumber}. */
export interface NumberRule {
  /** -Number.MAX_VALUE: no bound but that it is finite. */
  readonly min: number;
  /** Number.MAX_VALUE: no bound but that it is finite. */
  readonly max: number;
  readonly integer?: boolean;
  /** Accept Infinity besides, as "no limit". */
  readonly orInfinity?: boolean;
}

/** A number of things, one at least. */
export const COUNT: NumberRule = { min: 1, max: Number.MAX_SAFE_INTEGER, integer: true };
/** As {@link COUNT}, or Infinity for no limit. */
export const LIMIT: NumberRule = { ...COUNT, orInfinity: true };
const DELAY_MS: NumberRule = { min: -Number.MAX_VALUE, max: Number.MAX_SAFE_INTEGER };
const TIMEOUT_MS: NumberRule = { ...DELAY_MS, orInfinity: true };
const SPAN_MS: NumberRule = { ...TIMEOUT_MS, min: Number.MIN_VALUE };
/** In ms, three years: a longer timeout is more likely a date. */
const LIKE_A_DATE = 1e11;

/** `value`, or `fallback` when it is undefined. */
export function checkedNumber(name: string, value: unknown, fallback: number, rule: NumberRule): number {
  return value === undefined ? fallback : requiredNumber(name, value, rule);
}

export function requiredNumber(name: string, value: unknown, rule: NumberRule): number {
  if (typeof value !== 'number') throw invalidArgType(name, 'of type number', value);
  if (rule.orInfinity === true && value === Number.POSITIVE_INFINITY) return value;
  if (value >= rule.min && value <= rule.max && (rule.integer !== true || Number.isInteger(value)))
    return value;
  throw outOfRange(name, textOf(rule), value);
}

/** The rule in words, with the names of the bounds that nobody knows by heart. */
function textOf({ min, max, integer, orInfinity }: NumberRule): string {
  const isOpen = min === -Number.MAX_VALUE || max === Number.MAX_VALUE;
  const kind =
    integer === true ? 'an integer' : isOpen && orInfinity !== true ? 'a finite number' : 'a number';
  const bounds = [leastOf(min), mostOf(max)].filter((bound) => bound !== undefined).join(' and ');
  return `${kind}${bounds === '' ? '' : ` ${bounds}`}${orInfinity === true ? ', or Infinity' : ''}`;
}

function leastOf(min: number): string | undefined {
  if (min === -Number.MAX_VALUE) return undefined;
  return min === Number.MIN_VALUE ? '> 0' : `>= ${min}`;
}

function mostOf(max: number): string | undefined {
  if (max === Number.MAX_VALUE) return undefined;
  return `<= ${max === Number.MAX_SAFE_INTEGER ? 'Number.MAX_SAFE_INTEGER' : max}`;
}

/** The delay of a task in ms, 0 for a negative one; finite. */
export function finiteDelay(delayMs: number): number {
  return delayMs <= 0 && delayMs >= -Number.MAX_VALUE ? 0 : requiredNumber('delayMs', delayMs, DELAY_MS);
}

/**
 * `timeoutMs`, called `name` by its user; Infinity means without a deadline. Developers get a hint
 * at one that looks like a date, if they ask for hints (NODE_DEBUG=purgatory).
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE: not a number.
 * @throws RangeError with ERR_OUT_OF_RANGE: NaN, -Infinity, or finite and above
 * Number.MAX_SAFE_INTEGER.
 */
export function checkedTimeout(name: string, timeoutMs: number): number {
  const isCommon = typeof timeoutMs === 'number' && timeoutMs >= 0 && timeoutMs <= LIKE_A_DATE;
  return isCommon ? timeoutMs : hintAtDate(name, requiredNumber(name, timeoutMs, TIMEOUT_MS));
}

/** `spanMs`, which is > 0, or Infinity. With that hint, too. */
export function requiredSpan(name: string, spanMs: number): number {
  return hintAtDate(name, requiredNumber(name, spanMs, SPAN_MS));
}

/** `timeoutMs`. Developers get a hint at one that looks like a date, if they ask for hints. */
function hintAtDate(name: string, timeoutMs: number): number {
  if (isDebugging && timeoutMs > LIKE_A_DATE && timeoutMs !== Number.POSITIVE_INFINITY) {
    debug('%s is %d, which looks like a date: it counts from now', name, timeoutMs);
  }
  return timeoutMs;
}

/** `value`, which is a function or undefined. */
export function checkedFunction<F>(name: string, value: unknown): F | undefined {
  return value === undefined ? undefined : requiredFunction(name, value);
}

export function requiredFunction<F>(name: string, value: unknown): F {
  if (typeof value !== 'function') throw invalidArgType(name, 'of type function', value);
  return value as F;
}

/** `value`, or `fallback` when it is undefined. */
export function checkedBoolean(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw invalidArgType(name, 'of type boolean', value);
  return value;
}

export function requiredString(name: string, value: unknown): string {
  if (typeof value !== 'string') throw invalidArgType(name, 'of type string', value);
  return value;
}

export function requiredArray<A extends readonly unknown[]>(name: string, value: A): A {
  if (!Array.isArray(value)) throw invalidArgType(name, 'an instance of Array', value);
  return value;
}

/**
 * `key`, which is no array: that equals no other, so it would be the key of nobody else. O(1).
 *
 * @param instead what to write for several keys.
 */
export function singleKey<K>(name: string, key: K, instead: string): K {
  if (typeof key === 'object' && Array.isArray(key)) {
    throw invalidArgType(name, `one key, and no array: ${instead}`, key);
  }
  return key;
}

/** `value`, or an empty object for undefined. */
export function checkedOptions<T extends object>(value: T | undefined): Partial<T> {
  return value === undefined ? {} : requiredOptions('options', value);
}

/** `value`, which is an object and no AbortSignal: a signal belongs in an object of options. */
export function requiredOptions<T extends object>(name: string, value: T): T {
  if (typeof value !== 'object' || value === null) throw invalidArgType(name, 'of type object', value);
  if (typeof (value as { aborted?: unknown }).aborted === 'boolean') {
    throw invalidArgType(name, 'an object of options, such as { signal }', value);
  }
  return value;
}

/** `signal`, which is undefined or behaves like an AbortSignal: a polyfill's, another realm's. */
export function checkedSignal(name: string, signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  if (typeof signal?.aborted !== 'boolean' || typeof signal.addEventListener !== 'function') {
    throw invalidArgType(name, 'an instance of AbortSignal', signal);
  }
  return signal;
}

/**
 * `clock`, whose time is read once.
 * @throws besides, TypeError with ERR_INVALID_ARG_VALUE for a clock whose time is no finite number.
 */
export function requiredClock<C extends { now(): number; wakeAt: unknown; nextTurn?: unknown }>(
  name: string,
  clock: C,
): C {
  if (typeof clock?.now !== 'function' || typeof clock.wakeAt !== 'function') {
    throw invalidArgType(name, 'a Clock, with the methods now and wakeAt', clock);
  }
  checkedFunction(`${name}.nextTurn`, clock.nextTurn);
  const nowMs: unknown = clock.now();
  if (!Number.isFinite(nowMs)) throw invalidArgValue(name, 'must give a finite number from now()', nowMs);
  return clock;
}
