// The options of a Semaphore and of its permits, and their checks.
import { COUNT, requiredNumber, requiredString } from '../../base/checks.ts';
import { invalidArgType, invalidArgValue } from '../../base/node-errors.ts';
import { type Checked, knownOptions, numberOf, type OptionNames, type Rules } from '../../base/options.ts';
import {
  type CheckedParkingOptions,
  PARKING_OPTIONS,
  type ParkingOptions,
  WAIT_OPTIONS,
  type WaitOptions,
} from '../../purgatory/purgatory-options.ts';
import { lineKey } from '../lines/line-key.ts';

/** The options of a {@link Semaphore}. */
export interface SemaphoreOptions<K = string> extends ParkingOptions {
  /**
   * How many units each key has: an integer >= 1. With one unit it is a mutex. Or a function that says
   * it of a key, which is called when a key begins that nobody uses, and by `resize(key)`.
   */
  units: number | ((key: K) => number);
}

/** The options of {@link Semaphore.tryAcquire}. */
export interface TryAcquireOptions<K = string> {
  /**
   * Whose units: any value but undefined and an array. Keys are compared as a Map compares them, so
   * an object equals only itself: a warning says so once. Default: the name of the semaphore, so
   * that there is one key.
   */
  key?: K;
  /** How many at once: an integer from 1 to the units of the key. Default 1. */
  units?: number | undefined;
  /** For people: who holds the permit. Snapshots, metrics and the errors of others show it. */
  label?: string | undefined;
}

/** The options of {@link Semaphore.acquire}. */
export interface AcquireOptions<K = string> extends TryAcquireOptions<K>, WaitOptions {}

const units = numberOf(COUNT);
export const SEMAPHORE_OPTIONS: Rules<
  CheckedParkingOptions & Checked<Omit<SemaphoreOptions<never>, keyof ParkingOptions>>
> = {
  ...PARKING_OPTIONS,
  units: (name, value) => {
    if (typeof value === 'function') return value as () => number;
    if (typeof value !== 'number') throw invalidArgType(name, 'of type number or function', value);
    return units(name, value);
  },
};
const TRY_ACQUIRE_OPTIONS: OptionNames<TryAcquireOptions> = { key: true, units: true, label: true };
export const ACQUIRE_OPTIONS: OptionNames<AcquireOptions> = { ...TRY_ACQUIRE_OPTIONS, ...WAIT_OPTIONS };

const SEVERAL_LOCKS = 'for several locks nest one call in the other, in the sorted order of the keys';

/**
 * The units that are asked for, of `most`.
 * @throws TypeError, RangeError (Node's codes) for a bad number.
 */
export function checkedUnits(units: number | undefined, most: number): number {
  if (units === undefined) return 1;
  const isCommon = Number.isSafeInteger(units) && units >= 1 && units <= most;
  return isCommon ? units : requiredNumber('options.units', units, { ...COUNT, max: most });
}

/** @throws TypeError (Node's codes) for options of the wrong type. */
export function checkedTryAcquire<K>(options: TryAcquireOptions<K> | undefined): TryAcquireOptions<K> {
  const given = knownOptions('a permit', options, TRY_ACQUIRE_OPTIONS as OptionNames<TryAcquireOptions<K>>);
  if (given.label !== undefined) requiredString('options.label', given.label);
  return given;
}

/**
 * The key that is asked for, or `fallback` where none was named.
 * @throws TypeError ERR_INVALID_ARG_VALUE for undefined that was given as a key: by mistake it would
 *   be one lock for all. ERR_INVALID_ARG_TYPE for an array.
 */
export function checkedKey<K>(options: TryAcquireOptions<K>, fallback: K): K {
  const { key } = options;
  if (key !== undefined) return lineKey('Semaphore', 'options.key', key, SEVERAL_LOCKS);
  if ('key' in options) throw invalidArgValue('options.key', 'must not be undefined where it is given', key);
  return fallback;
}
