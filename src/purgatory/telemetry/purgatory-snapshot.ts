// The picture of a purgatory at one moment: plain JSON of bounded size, at a bounded cost.
//
// Ground rules. It reads, and changes nothing but the sample of keys. It takes one
// clock reading. Texts are cut (text.ts).
import { checkedNumber } from '../../base/checks.ts';
import { knownOptions, type OptionNames } from '../../base/options.ts';
import { cut, keyText } from '../../base/text.ts';
import { ENDLESS } from '../../timer/timer-task.ts';
import type { DelayedOperation } from '../delayed-operation.ts';
import type { ParkedLists } from '../parked-lists.ts';
import type { Pass } from '../passes.ts';
import { ageMs, type PurgatoryMeter, type PurgatoryTotals } from './purgatory-meter.ts';

/** A purgatory at one moment. Times are in ms by its timer's clock. */
export interface PurgatorySnapshot {
  name: string;
  /** When it was made: what `deadlineMs` is to be compared with. */
  nowMs: number;
  /** Operations parked, waits included. */
  parked: number;
  /** Pairs of a parked operation and a key that it watches. */
  watched: number;
  /** Keys that a parked operation watches. */
  watchedKeys: number;
  /** The option; null for no limit. */
  maxParked: number | null;
  totals: PurgatoryTotals;
  /**
   * Operations and waits that were refused since it was made, by the code of the error:
   * ERR_PURGATORY_FULL always, others once there was one. They are in no other total.
   */
  refused: Record<string, number>;
  events: EventsSnapshot;
  openTries: OpenTriesSnapshot;
  endless: EndlessSnapshot;
  /**
   * How long the operation has been parked that has been parked longest, of those with a deadline.
   * It looks at the first thousand of all. Null: none of them has a deadline.
   */
  oldestMs: number | null;
  /**
   * The keys with the most watchers, the hottest first. With very many keys, a snapshot looks at a
   * part of them: a Purgatory at 4,096, at each snapshot the next ones.
   */
  hottestKeys: HotKey[];
  /** The operations parked longest, the oldest first. */
  oldest: OldOperation[];
}

/** A key and how many parked operations watch it. */
export interface HotKey {
  key: string;
  watchers: number;
}

/** An operation that has been parked for long. */
export interface OldOperation {
  ageMs: number;
  /** By the timer's clock; null when it has none. It and the age are right up to 49 days. */
  deadlineMs: number | null;
  /** What it watches: the first few of its keys. */
  keys: string[];
  /** The name of its class. Of a wait: the method that made it, such as `waitFor`. */
  type: string;
  /** The option of `waitFor`, where it was given. */
  label?: string;
}

/** Tries whose promise has not settled, of waits that are parked. */
export interface OpenTriesSnapshot {
  open: number;
  /** The wait whose try has been open longest, and for how long; null when none is. */
  oldest: { wait: OldOperation; openMs: number } | null;
}

/** Operations that are parked without a deadline. */
export interface EndlessSnapshot {
  parked: number;
}

/** The events of `notify` that are being served. A ThresholdPurgatory and SharedWaits have none. */
export interface EventsSnapshot {
  /** Keys whose event has not begun. */
  pendingKeys: number;
  /** How long the oldest of both has been waiting or under way, in ms. */
  oldestMs: number;
  /** The event that has been under way longest; null when none is. */
  oldestPass: PassSnapshot | null;
  /** The longest pass so far, in ms, of those that took more than a batch. */
  longestPassMs: number;
  /**
   * What a try takes with the answer that it causes, in ms: the mean of the last tens of thousands.
   * Null until one was timed.
   */
  tryMs: number | null;
  /**
   * The last batch of tries that took over 5 ms each: a condition that computes, or reads
   * synchronously. Null: there was none.
   */
  slowTry: SlowTrySnapshot | null;
}

/** An event that is under way. */
export interface PassSnapshot {
  key: string;
  /** How many watched the key when it began. Operations that leave meanwhile are not tried. */
  watchers: number;
  /** How many of them have been tried. */
  tried: number;
  ageMs: number;
}

/** Tries that were slow. */
export interface SlowTrySnapshot {
  /** The key of the event. */
  key: string;
  /** What still watched the key then, by its class or method, as in {@link OldOperation}. */
  type: string | null;
  label?: string;
  /** What a try took, in ms, and when, by the timer's clock. */
  tryMs: number;
  atMs: number;
}

/** Of those that serve no events. */
export const NO_EVENTS: EventsSnapshot = {
  pendingKeys: 0,
  oldestMs: 0,
  oldestPass: null,
  longestPassMs: 0,
  tryMs: null,
  slowTry: null,
};

/** The options of a snapshot. */
export interface SnapshotOptions {
  /**
   * How many of the hottest keys and of the oldest operations to show: an integer from 0 to 100.
   * Default 10.
   */
  top?: number | undefined;
}

const SNAPSHOT_OPTIONS: OptionNames<SnapshotOptions> = { top: true };
const TOP = { min: 0, max: 100, integer: true } as const;
export const DEFAULT_TOP = 10;
const MAX_KEYS = 8;
/** How many without a deadline are passed over for the oldest with one. */
export const MAX_ENDLESS = 1_000;

/** The purgatory that is shown: a Parking. */
interface Shown {
  readonly name: string;
  readonly maxParked: number;
  readonly lists: ParkedLists<never>;
  readonly meter: PurgatoryMeter;
  readonly events: { snapshot?(nowMs: number): EventsSnapshot } | undefined;
}

export function purgatorySnapshot(shown: Shown, options: SnapshotOptions | undefined): PurgatorySnapshot {
  const { name, maxParked, lists, meter, events } = shown;
  const top = checkedTop(options);
  const nowMs = meter.now();
  return {
    name,
    nowMs,
    parked: lists.size,
    watched: lists.pairs,
    watchedKeys: lists.keys,
    maxParked: maxParked === Number.POSITIVE_INFINITY ? null : maxParked,
    totals: meter.totals(lists.size),
    refused: { ...meter.refused },
    events: events?.snapshot?.(nowMs) ?? { ...NO_EVENTS },
    openTries: openTries(meter, lists, nowMs),
    endless: { parked: meter.endless },
    oldestMs: oldestMs(lists, nowMs),
    hottestKeys: top === 0 ? [] : hottestKeys(lists, top),
    oldest: lists.oldestFirst(top).map((operation) => oldOperation(operation, lists, nowMs)),
  };
}

function openTries(
  { openTries }: PurgatoryMeter,
  lists: ParkedLists<never>,
  nowMs: number,
): OpenTriesSnapshot {
  const [oldest] = openTries;
  if (oldest === undefined) return { open: 0, oldest: null };
  const [wait, sinceMs] = oldest;
  const openMs = Math.max(0, nowMs - sinceMs);
  return { open: openTries.size, oldest: { wait: oldOperation(wait, lists, nowMs), openMs } };
}

function oldestMs(lists: ParkedLists<never>, nowMs: number): number | null {
  const oldest = lists.oldestFirst(MAX_ENDLESS).find(({ $slot }) => $slot !== ENDLESS);
  return oldest === undefined ? null : ageMs(lists.stampOf(oldest), nowMs);
}

/** @throws TypeError, RangeError (Node's codes) when `top` is no integer from 0 to 100. */
export function checkedTop(options: SnapshotOptions | undefined): number {
  const { top } = knownOptions('a snapshot', options, SNAPSHOT_OPTIONS);
  return checkedNumber('options.top', top, DEFAULT_TOP, TOP);
}

/** The first of `all`, at most `count`. */
export function firstOf<T>(all: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const each of all) {
    if (first.length === count) break;
    first.push(each);
  }
  return first;
}

function hottestKeys(lists: ParkedLists<never>, top: number): HotKey[] {
  return lists
    .countedKeys()
    .sort((x, y) => y.watchers - x.watchers)
    .slice(0, top)
    .map(({ key, watchers }) => ({ key: keyText(key), watchers }));
}

/** A parked operation as a snapshot shows it at `nowMs`. */
export function oldOperation(
  operation: DelayedOperation,
  lists: Pick<ParkedLists<never>, 'stampOf' | 'keysOf'>,
  nowMs: number,
): OldOperation {
  const age = ageMs(lists.stampOf(operation), nowMs);
  const isEndless = operation.$slot === ENDLESS;
  return {
    ageMs: age,
    deadlineMs: isEndless ? null : Math.floor(nowMs) - age + Math.max(operation.delayMs, 0),
    keys: lists.keysOf(operation, MAX_KEYS).map(keyText),
    ...named(operation),
  };
}

/** Tries for an event on `key` took `tryMs` each, at `atMs`. */
export function slowTry(
  key: unknown,
  tryMs: number,
  atMs: number,
  lists: Pick<ParkedLists<never>, 'operationsOf'>,
): SlowTrySnapshot {
  const [operation] = lists.operationsOf(key, 1);
  return { key: keyText(key), ...(operation === undefined ? { type: null } : named(operation)), tryMs, atMs };
}

/** What people call it. */
function named(operation: DelayedOperation): { type: string; label?: string } {
  const { $label: label } = operation;
  return { type: cut(operation.$type), ...(label !== undefined && { label: cut(label) }) };
}

/** The pass that has been under way longest. O(passes). */
export function oldestPass(passes: Iterable<Pass>, nowMs: number): PassSnapshot | null {
  let oldest: Pass | undefined;
  for (const pass of passes) {
    if (oldest === undefined || (pass.sinceMs ?? nowMs) < (oldest.sinceMs ?? nowMs)) oldest = pass;
  }
  if (oldest === undefined) return null;
  const { key, watchers, tried, sinceMs = nowMs } = oldest;
  return { key: keyText(key), watchers, tried, ageMs: Math.max(0, nowMs - sinceMs) };
}
