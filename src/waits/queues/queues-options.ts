// The options of Queues and of those who take, and their checks.
import {
  COUNT,
  checkedFunction,
  checkedSignal,
  checkedTimeout,
  LIMIT,
  requiredArray,
  requiredNumber,
  requiredSpan,
} from '../../base/checks.ts';
import { invalidArgValue } from '../../base/node-errors.ts';
import {
  type Checked,
  numberOr,
  type OptionNames,
  type Rule,
  type Rules,
  readOptions,
} from '../../base/options.ts';
import {
  type CheckedParkingOptions,
  type CheckedWaitOptions,
  checkedWaitOptions,
  PARKING_OPTIONS,
  type ParkingOptions,
  WAIT_OPTIONS,
  type WaitOptions,
} from '../../purgatory/purgatory-options.ts';
import { lineKey } from '../lines/line-key.ts';

/** The options of {@link Queues}; all may be left out. */
export interface QueuesOptions extends ParkingOptions {
  /** The most items of all keys together: an integer >= 1, or Infinity. Default Infinity. */
  maxItems?: number | undefined;
}

/** The options of {@link Queues.takeMany}. */
export interface TakeManyOptions extends WaitOptions {
  /** The most items: an integer >= 1. */
  max: number;
}

export const QUEUES_OPTIONS: Rules<
  CheckedParkingOptions & Checked<Omit<QueuesOptions, keyof ParkingOptions>>
> = { ...PARKING_OPTIONS, maxItems: numberOr(Number.POSITIVE_INFINITY, LIMIT) };

/** The options of {@link Queues.lease}. */
export interface LeaseOptions extends WaitOptions {
  /** After how many ms the item comes back by itself: > 0, or Infinity for never. */
  leaseMs: number;
  /** Also while the item is out: its abort gives the item back. */
  signal?: AbortSignal | undefined;
  /** For people: who waits, and who has the item. */
  label?: string | undefined;
}

/** When an item comes. */
export interface LaterOptions {
  /** So many ms from now: > 0, or 0 for at once. Default 0. */
  afterMs?: number | undefined;
}

/** The options of {@link Queues.put}. */
export interface PutOptions<V, K = string> extends LaterOptions {
  /**
   * After how many ms nobody wants the item any more: then it leaves, unless it is taken. Default
   * Infinity.
   */
  timeoutMs?: number | undefined;
  /** Its abort takes the item out, unless it is taken: its caller has gone. */
  signal?: AbortSignal | undefined;
  /**
   * Is called with an item that has left by its deadline: never without `timeoutMs`. What it throws is
   * an uncaught exception.
   */
  onExpired?: ((item: V, key: K) => void) | undefined;
}

const TAKE_MANY_OPTIONS: OptionNames<TakeManyOptions> = { ...WAIT_OPTIONS, max: true };
const LEASE_OPTIONS: OptionNames<LeaseOptions> = { ...WAIT_OPTIONS, leaseMs: true };
const AFTER_MS = { min: 0, max: Number.MAX_SAFE_INTEGER } as const;

const LATER: Rules<Checked<LaterOptions>> = { afterMs: numberOr(0, AFTER_MS) };
const PUT: Rules<Checked<PutOptions<never, never>, 'signal' | 'onExpired'>> = {
  ...LATER,
  timeoutMs: (name, value = Number.POSITIVE_INFINITY) => checkedTimeout(name, value as number),
  signal: checkedSignal as Rule<AbortSignal | undefined>,
  onExpired: checkedFunction as never,
};

/** What a wait takes: with `max` several at most, as takeMany; with `leaseMs` one on lease. */
export interface CheckedTake extends CheckedWaitOptions {
  readonly max?: number;
  readonly leaseMs?: number;
}

/** @throws TypeError, RangeError (Node's codes) for a bad option. */
export function checkedTakeMany(options: TakeManyOptions): CheckedTake {
  const { timeoutMs, signal, label } = checkedWaitOptions(options, TAKE_MANY_OPTIONS);
  return { timeoutMs, signal, label, max: requiredNumber('options.max', options.max, COUNT) };
}

/** @throws TypeError, RangeError (Node's codes) for a bad option. */
export function checkedLease(options: LeaseOptions): CheckedTake {
  const { timeoutMs, signal, label } = checkedWaitOptions(options, LEASE_OPTIONS);
  return { timeoutMs, signal, label, leaseMs: requiredSpan('options.leaseMs', options.leaseMs) };
}

/** @throws TypeError, RangeError (Node's codes) for a bad option. */
export function checkedAfter(options: LaterOptions | undefined): number {
  return options === undefined ? 0 : readOptions('an item', options, LATER).afterMs;
}

/** @throws TypeError, RangeError (Node's codes) for a bad option. */
export function checkedPut<V, K>(
  options: PutOptions<V, K>,
): Checked<PutOptions<V, K>, 'signal' | 'onExpired'> {
  return readOptions('an item', options, PUT) as Checked<PutOptions<V, K>, 'signal' | 'onExpired'>;
}

/**
 * @throws TypeError ERR_INVALID_ARG_VALUE for undefined: by mistake it would be one queue for all.
 *   ERR_INVALID_ARG_TYPE for an array.
 */
export function checkedKey<K>(key: K): K {
  if (key === undefined) throw invalidArgValue('key', 'must not be undefined', key);
  return lineKey('Queues', 'key', key, 'several keys are several put');
}

/**
 * A copy of `keys`, each of them once.
 * @throws TypeError ERR_INVALID_ARG_TYPE for no array, ERR_INVALID_ARG_VALUE for an empty one, and
 *   for a key that is undefined.
 */
export function checkedKeys<K>(keys: readonly K[]): readonly K[] {
  const { length } = requiredArray('keys', keys);
  if (length === 0) throw invalidArgValue('keys', 'must name at least one key', keys);
  const copy = length === 1 ? [keys[0]] : [...new Set(keys)];
  if (copy.includes(undefined as K)) throw invalidArgValue('keys', 'must not have undefined in it', keys);
  copy.forEach((key, i) => void lineKey('Queues', `keys[${i}]`, key, 'each key is an element of "keys"'));
  return copy;
}
