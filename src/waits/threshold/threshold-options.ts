// The options of a ThresholdPurgatory and its waits, and their checks.
import { checkedFunction, singleKey } from '../../base/checks.ts';
import { invalidArgType, invalidArgValue, outOfRange } from '../../base/node-errors.ts';
import { type Checked, loadTimeoutMs, type Rules, wordOf } from '../../base/options.ts';
import type { JoinableBus } from '../../bus/membership/bus-member.ts';
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { PURGATORY_OPTIONS, type PurgatoryOptions } from '../../purgatory/purgatory-options.ts';
import type { Threshold, ThresholdValue } from './thresholds.ts';

/** The user's option. It returns undefined or null for a key that has no value. */
export type Current<K, V extends ThresholdValue> = (
  key: K,
  context: { signal: AbortSignal },
) => V | null | undefined | Promise<V | null | undefined>;

/** The options of a {@link ThresholdPurgatory}: those of a Purgatory, and three. */
export interface ThresholdPurgatoryOptions<
  K = string,
  V extends ThresholdValue = number,
  Op extends DelayedOperation = DelayedOperation,
> extends PurgatoryOptions<Op> {
  /**
   * The value of a key now, or a promise of it: a number, or a bigint if the values are bigints.
   * Undefined or null when it has none. It is called when an operation waits on a key whose value
   * is not known in this process, has fallen, or may have been missed (docs/contract.md). If it
   * throws or rejects, `onError` gets the error, with the first operation that waits on the key
   * (for `awaitAtLeast`, one of the library's own). Then it is called again after 50 ms, doubling
   * to 5 s. `context.signal` aborts after `loadTimeoutMs`, and on `close()`: pass it on.
   */
  current?: Current<K, V> | undefined;
  /**
   * A `current` that takes longer, in ms, has failed: its signal aborts, and it is called again.
   * What ignores the signal goes on, and a query still holds its connection. Infinity: no limit.
   * Default 10,000.
   */
  loadTimeoutMs?: number | undefined;
  /**
   * Which values are kept: 'all' of them until `delete`, or those of 'watched' keys only, which needs
   * `current`. A kept value takes about 225 bytes. Default 'all'.
   */
  keep?: 'all' | 'watched' | undefined;
}

export const THRESHOLD_PURGATORY_OPTIONS: typeof PURGATORY_OPTIONS &
  Rules<Checked<Omit<ThresholdPurgatoryOptions, keyof PurgatoryOptions>, 'current'>> = {
  ...PURGATORY_OPTIONS,
  current: checkedFunction,
  loadTimeoutMs,
  keep: wordOf('all', 'watched'),
};

/** @throws TypeError ERR_INVALID_ARG_VALUE for values that could be had no more. */
export function checkCurrentIsGiven(bus: JoinableBus | undefined, keep: string): void {
  if (keep === 'watched') {
    const rule = "must not be 'watched' without options.current, which reads a value again";
    throw invalidArgValue('options.keep', rule, keep);
  }
  if (bus?.routing === 'interest') {
    const rule =
      "must be given for a bus with routing 'interest', which carries no values to those who did not wait";
    throw invalidArgValue('options.current', rule, undefined);
  }
}

/** @throws TypeError ERR_INVALID_ARG_TYPE, RangeError ERR_OUT_OF_RANGE for NaN. */
export function checkValue(name: string, value: unknown): void {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw invalidArgType(name, 'of type number or bigint', value);
  }
  if (Number.isNaN(value)) throw outOfRange(name, 'a number that can be reached', value);
}

/**
 * A copy of the pairs, which getters or a Proxy cannot change later. A key that is given twice counts
 * once: the higher threshold decides, for all must be reached.
 *
 * @throws TypeError, RangeError (Node's codes): it is no iterable or empty, an item is no pair, or
 * a threshold is no valid value.
 */
export function checkedThresholds<K, V extends ThresholdValue>(
  thresholds: Iterable<Threshold<K, V>>,
): Threshold<K, V>[] {
  if (typeof thresholds?.[Symbol.iterator] !== 'function') {
    throw invalidArgType('thresholds', 'an iterable of [key, threshold] pairs', thresholds);
  }
  const checked = [...thresholds];
  if (checked.length === 0) throw invalidArgValue('thresholds', 'must name at least one key', thresholds);
  for (const [i, pair] of checked.entries()) {
    if (!Array.isArray(pair)) throw invalidArgType(`thresholds[${i}]`, 'a [key, threshold] pair', pair);
    const [key, threshold] = pair as Threshold<K, V>;
    singleKey(`thresholds[${i}][0]`, key, 'each key has a pair of its own');
    checkValue(`thresholds[${i}][1]`, threshold);
    checked[i] = [key, threshold];
  }
  return checked.length === 1 ? checked : highestOfEach(checked);
}

function highestOfEach<K, V extends ThresholdValue>(
  thresholds: readonly Threshold<K, V>[],
): Threshold<K, V>[] {
  const highest = new Map<K, V>();
  for (const [key, threshold] of thresholds) {
    const before = highest.get(key);
    if (before === undefined || threshold > before) highest.set(key, threshold);
  }
  return [...highest];
}
