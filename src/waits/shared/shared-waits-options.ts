// The options of SharedWaits, and their checks.
import {
  COUNT,
  checkedFunction,
  type NumberRule,
  requiredArray,
  requiredFunction,
  requiredNumber,
} from '../../base/checks.ts';
import {
  asGiven,
  booleanOr,
  type Checked,
  loadTimeoutMs,
  numberOr,
  optional,
  type Rules,
  readOptions,
} from '../../base/options.ts';
import { checkedBus, type JoinableBus } from '../../bus/membership/bus-member.ts';
import type { Clock } from '../../clock/clock.ts';
import { PARKING_OPTIONS, type WaitOptions } from '../../purgatory/purgatory-options.ts';
import type { Timer } from '../../timer/timer.ts';

/** Reads the state of many keys at once. An Error in place of a state is the error of that key. */
export type LoadKeys<V> = (
  keys: readonly string[],
  context: { signal: AbortSignal },
) => Promise<ReadonlyMap<string, V | Error>>;

/** The options of {@link SharedWaits}; all but `load` may be left out. */
export interface SharedWaitsOptions<V> {
  /**
   * Reads the present state of `keys`, wherever it is kept. A key that does not exist is left out
   * of the Map. An Error in the Map rejects the waits on that key alone, at once.
   * `context.signal` aborts once all waits on these keys have ended, after `loadTimeoutMs`, and on
   * `close()`: pass it on. docs/contract.md says when a key is loaded, docs/many-processes.md how
   * to write a load.
   */
  load: LoadKeys<V>;
  /** Carries `changed` to the other processes. Default: none, so only this process. */
  bus?: JoinableBus | undefined;
  /** The most keys of one load: an integer >= 1. Default 500. */
  loadBatch?: number | undefined;
  /** The most loads under way at once: an integer >= 1. Default 4. */
  concurrency?: number | undefined;
  /**
   * A load that takes longer, in ms, has failed: its signal aborts, and other loads take its place.
   * It is not divided. From then on each of its keys is loaded alone, until it is answered. What
   * ignores the signal goes on, and a query still holds its connection. Infinity: no limit. Default
   * 10,000.
   */
  loadTimeoutMs?: number | undefined;
  /**
   * Loads a key again this many ms after each load that an event caused, while somebody waits. For
   * readers behind a replica, which may not have the change yet: [50, 500]. Default: none.
   */
  recheckMs?: readonly number[] | undefined;
  /**
   * Loads each key that somebody waits for again this many ms after its last load. Default: never.
   */
  pollMs?: number | undefined;
  /** The most waits at once: an integer >= 1, or Infinity. Default Infinity. */
  maxParked?: number | undefined;
  /**
   * A timer to share with others, for the deadlines. Default: a SystemTimer of its own, closed with
   * it. Loads have a timer of their own, which is never full.
   */
  timer?: Timer | undefined;
  /** The source of time of deadlines, retries, rechecks and polls. Default: the system's clock. */
  clock?: Clock | undefined;
  /**
   * Whether a failed load is tried again while somebody waits, so that waits outlive a store that is
   * down. Else it rejects the waits on its keys. Before that, the keys of a load of several keys are
   * loaded in smaller parts. docs/contract.md. Default false.
   */
  retry?: boolean | undefined;
  /**
   * Gets the error of each load that has failed for good, with its keys, whether it is tried again or
   * not. It only hears.
   */
  onError?: ((error: unknown, keys: readonly string[]) => void) | undefined;
}

/** The options of {@link SharedWaits.waitUntil}: those of `waitFor`. */
export type WaitUntilOptions = WaitOptions;

/** Those that have no default. */
type Bare = 'bus' | 'timer' | 'clock' | 'onError';

/** Every option, checked: `recheckMs` the earliest first, `pollMs` Infinity for never. */
export type CheckedSharedWaitsOptions<V> = Checked<SharedWaitsOptions<V>, Bare>;

const DELAY_MS: NumberRule = { min: 1, max: Number.MAX_SAFE_INTEGER };
const SHARED_WAITS_OPTIONS: Rules<CheckedSharedWaitsOptions<never>> = {
  load: requiredFunction,
  bus: optional(checkedBus),
  loadBatch: numberOr(500, COUNT),
  concurrency: numberOr(4, COUNT),
  loadTimeoutMs,
  recheckMs: (name, value = []) =>
    requiredArray(name, value as number[])
      .map((ms, i) => requiredNumber(`${name}[${i}]`, ms, DELAY_MS))
      .sort((x, y) => x - y),
  pollMs: numberOr(Number.POSITIVE_INFINITY, DELAY_MS),
  maxParked: PARKING_OPTIONS.maxParked,
  timer: asGiven,
  clock: asGiven,
  retry: booleanOr(false),
  onError: checkedFunction,
};

/**
 * `timer` and `clock` are checked elsewhere.
 *
 * @throws TypeError, RangeError (Node's codes) for a bad option.
 */
export function checkedSharedWaitsOptions<V>(
  title: string,
  options: SharedWaitsOptions<V>,
): CheckedSharedWaitsOptions<V> {
  const read = readOptions(title, options, SHARED_WAITS_OPTIONS as Rules<CheckedSharedWaitsOptions<V>>);
  // Called as a method of the options, because the user may have written it as one.
  return { ...read, load: (keys, context) => read.load.call(options, keys, context) };
}
