// What a purgatory tells of the events that it is serving: plain JSON of bounded size.
//
// Ground rules. It reads, and changes nothing. Keys are cut (text.ts). O(passes under way).
import { keyText } from '../../base/text.ts';

/** The events of `notify` that are being served. A ThresholdPurgatory and SharedWaits have none. */
export interface EventsSnapshot {
  /** Keys whose event has not begun. */
  pendingKeys: number;
  /** Events that have begun and go on in later turns. */
  passesUnderWay: number;
  /** How long the oldest of both has been waiting or under way, in ms. */
  oldestMs: number;
  /** The event that has been under way longest; null when none is. */
  oldestPass: PassSnapshot | null;
  /** The longest pass so far, in ms, of those that took more than a batch. */
  longestPassMs: number;
  /**
   * What a try takes with the answer that it causes, in ms: the mean of the last tens of thousands
   * that were timed. Those of an event that fits in a batch are not timed. Null until one was.
   */
  tryMs: number | null;
}

/** An event that is under way. */
export interface PassSnapshot {
  key: string;
  /** How many watched the key when it began. Those who leave meanwhile are not tried. */
  watchers: number;
  /** How many of them have been tried. */
  tried: number;
  ageMs: number;
}

/** Of who serves no events. */
export const NO_EVENTS: EventsSnapshot = {
  pendingKeys: 0,
  passesUnderWay: 0,
  oldestMs: 0,
  oldestPass: null,
  longestPassMs: 0,
  tryMs: null,
};

/** A key whose pass is held. Undefined: one more is to begin. */
interface Held {
  readonly sinceMs: number;
  readonly pass: { readonly watchers: number; readonly tried: number } | undefined;
}

/** The oldest of the passes under way, by key. */
export function oldestPass(held: ReadonlyMap<unknown, Held>, nowMs: number): PassSnapshot | null {
  let oldest: readonly [unknown, Held] | undefined;
  for (const each of held) if (oldest === undefined || each[1].sinceMs < oldest[1].sinceMs) oldest = each;
  if (oldest === undefined) return null;
  const [key, { sinceMs, pass }] = oldest;
  const { watchers, tried } = pass ?? { watchers: 0, tried: 0 };
  return { key: keyText(key), watchers, tried, ageMs: Math.max(0, nowMs - sinceMs) };
}
