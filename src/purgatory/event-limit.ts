// The limit of an event: how many operations it may complete. It is the option `atMost`, or ALL.
//
// Invariants. A limit is an integer from 1 to ALL. Those of events on one key that become one event
// add up, and ALL plus anything is ALL. The hint of an event without a limit carries no value.
import { COUNT, checkedNumber } from '../base/checks.ts';
import { knownOptions, type OptionNames } from '../base/options.ts';
import type { HintValue, MergeValues } from '../bus/membership/bus-member.ts';

/** More watchers than a key can have: no limit. A small integer, since V8 boxes other numbers. */
export const ALL: number = 2 ** 30 - 1;

/** The options of an event: {@link Purgatory.notify} and {@link Purgatory.checkAndComplete}. */
export interface EventOptions {
  /**
   * The event ends after so many completions, in park order: an integer >= 1. A try that returns a
   * promise does not count. With a bus, this holds in each process. Default: none.
   */
  atMost?: number | undefined;
}

const EVENT_OPTIONS: OptionNames<EventOptions> = { atMost: true };

/** @throws TypeError, RangeError (Node's codes) for a bad `atMost`. */
export function checkedLimit(options: EventOptions | undefined): number {
  if (options === undefined) return ALL;
  const { atMost } = knownOptions('an event', options, EVENT_OPTIONS);
  return Math.min(checkedNumber('options.atMost', atMost, ALL, COUNT), ALL);
}

/** The limit of an event that two have become. */
export function addLimits(one: number, other: number): number {
  return Math.min(one + other, ALL);
}

/** What the hint of an event carries. */
export function hintOfLimit(limit: number): HintValue | undefined {
  return limit === ALL ? undefined : limit;
}

/** The limit that a hint carries. */
export function limitOfHint(value: HintValue | undefined): number {
  const limit = Number(value);
  return limit >= 1 ? Math.min(limit, ALL) : ALL;
}

/** As {@link addLimits}, for hints that wait to be sent or tried. */
export const addHints: MergeValues = (earlier, later) =>
  hintOfLimit(addLimits(limitOfHint(earlier), limitOfHint(later)));
