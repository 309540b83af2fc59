// What observers read: purgatories, timers and buses, as the metrics and the inspector are given
// them.
//
// Ground rules. Types, checks and the reading of what was given; nothing is kept. The sources are
// checked once, when they are given. What the user's own function or iterable throws later passes
// through. live-sources.ts has the names.
import type { BusSnapshot } from './bus/telemetry/bus-snapshot.ts';
import { invalidArgType } from './node-errors.ts';
import type { ParkedView } from './purgatory/abstract-purgatory.ts';
import type { PurgatorySnapshot } from './purgatory/telemetry/purgatory-snapshot.ts';
import type { LoadsSnapshot } from './shared/load-meter.ts';
import type { TimerSnapshot } from './timer/telemetry/timer-state.ts';

/**
 * An array, a Set or any other iterable, or a function that returns one. It is read anew at each
 * look.
 */
export type Sources<T> = Iterable<T> | (() => Iterable<T>);

/** As {@link Sources}, or an object of them by name. */
export type NamedSources<T> = Sources<T> | Readonly<Record<string, T>> | (() => Readonly<Record<string, T>>);

/** A purgatory, a timer or a bus that an observer can read. */
export interface Source {
  /** A closed source is dropped. */
  readonly isClosed?: boolean | undefined;
  snapshot(options: never): unknown;
}

/** A purgatory of any kind, or SharedWaits. */
export interface ObservedPurgatory extends Source {
  readonly name: string;
  /**
   * Read too, if it has a snapshot(). Its name is its name among the timers, or else the name of
   * the purgatory.
   */
  readonly timer?: object | undefined;
  snapshot(options: { top: number }): ObservedSnapshot;
  /** The parked operations one by one, if the purgatory has that. @internal */
  readonly $parked?: ParkedView;
  /** Its bus, if it is on one. Read too, if it has a snapshot(). @internal */
  readonly $bus?: object | undefined;
}

/**
 * The snapshot of a purgatory, or of SharedWaits, which have loads as well. Not all have what is
 * optional.
 */
export type ObservedSnapshot = PurgatorySnapshot & {
  readonly loads?: LoadsSnapshot;
  /** How many operations were refused, by the code of the error. */
  readonly refused?: Readonly<Record<string, number>>;
};

/** A SystemTimer. */
export interface ObservedTimer extends Source {
  snapshot(): TimerSnapshot;
  /** The lateness of its snapshot, at a lower cost, if the timer has it. @internal */
  readonly $lateness?: TimerSnapshot['lateness'];
}

/** A Bus of purgatory/bus. */
export interface ObservedBus extends Source {
  snapshot(): BusSnapshot;
}

/** A source with the name that it is shown by. */
export type NamedSource<T> = readonly [name: string, source: T];

/** The sources that are open now, each once. O(sources). */
export function openSources<T extends Source>(sources: Sources<T>): T[] {
  const read = typeof sources === 'function' ? sources() : sources;
  return Array.from(new Set(read)).filter(({ isClosed }) => isClosed !== true);
}

/** The sources that are open now. One without a name is named by its place. O(sources). */
export function openNamedSources<T extends Source>(sources: NamedSources<T>): NamedSource<T>[] {
  return namedSources(sources).filter(([, { isClosed }]) => isClosed !== true);
}

/**
 * @throws TypeError ERR_INVALID_ARG_TYPE for a purgatory itself, a list of them, or a function, where
 * `given` is to be an object that has them.
 */
export function refuseBareSources(name: string, given: unknown): void {
  if (!hasSnapshot(given) && !isIterable(given) && typeof given !== 'function') return;
  throw invalidArgType(name, 'an object of sources, such as { purgatories: [orders] }', given);
}

/**
 * @throws TypeError ERR_INVALID_ARG_TYPE for a value that is neither iterable nor a function, for a
 * Map (it may have no pair yet that would be refused), or for one that yields something without snapshot().
 */
export function checkSources(name: string, sources: unknown, what: string): void {
  const read = typeof sources === 'function' ? sources() : sources;
  if (!isIterable(read) || read instanceof Map) {
    throw invalidArgType(name, `an array or a Set of ${kindOf(name)}, or a function that returns one`, read);
  }
  let index = 0;
  for (const each of read) checkSource(`${name}[${index++}]`, each, what);
}

/** As {@link checkSources}. An object of sources by name is allowed too. */
export function checkNamedSources(name: string, sources: unknown, what: string): void {
  const read = typeof sources === 'function' ? sources() : sources;
  // A source itself is an object too. Its fields are no sources. The items of a Map are pairs.
  if (typeof read !== 'object' || read === null || hasSnapshot(read) || read instanceof Map) {
    const expected = `an array of ${kindOf(name)}, an object of them by name, or a function that returns one`;
    throw invalidArgType(name, expected, read);
  }
  for (const [key, each] of namedSources(read as NamedSources<Source>))
    checkSource(`${name}[${key}]`, each, what);
}

/** `timers` of `options.timers`. */
function kindOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

function namedSources<T>(sources: NamedSources<T>): NamedSource<T>[] {
  const read = typeof sources === 'function' ? sources() : sources;
  if (isIterable(read)) return Array.from(read as Iterable<T>, (each, index) => [`${index}`, each] as const);
  return Object.entries(read);
}

function checkSource(name: string, source: unknown, what: string): void {
  if (!hasSnapshot(source)) throw invalidArgType(name, what, source);
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** Whether `source` can be read: it has a snapshot, and is not closed. */
export function isOpenSource<T extends Source>(source: object | undefined): source is T {
  return hasSnapshot(source) && source.isClosed !== true;
}

function hasSnapshot(value: unknown): value is Source {
  return typeof (value as Partial<Source> | null | undefined)?.snapshot === 'function';
}
