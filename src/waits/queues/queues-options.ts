// The options of Queues and of those who take, and their checks.
import { COUNT, LIMIT, requiredArray, requiredNumber } from '../../base/checks.ts';
import { invalidArgValue } from '../../base/node-errors.ts';
import { type Checked, numberOr, type OptionNames, type Rules } from '../../base/options.ts';
import {
  type CheckedParkingOptions,
  type CheckedWaitOptions,
  checkedWaitOptions,
  PARKING_OPTIONS,
  type ParkingOptions,
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
const TAKE_MANY_OPTIONS: OptionNames<TakeManyOptions> = {
  timeoutMs: true,
  signal: true,
  label: true,
  max: true,
};

/** @throws TypeError, RangeError (Node's codes) for a bad option. */
export function checkedTakeMany(options: TakeManyOptions): CheckedWaitOptions & { readonly max: number } {
  const wait = checkedWaitOptions(options, TAKE_MANY_OPTIONS);
  return { ...wait, max: requiredNumber('options.max', options.max, COUNT) };
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
