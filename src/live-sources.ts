// The purgatories and timers that an observer reads. Some are given at first, some are made later,
// and closed ones are dropped.
//
// Ground rules. The sources are read anew at each look, in O(sources). None is kept in between:
// names are found by weak reference. All are checked once, when they are given. What the user's own
// function or iterable throws later passes through.
import { invalidArgType } from './node-errors.ts';

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

/** A purgatory. Its timer is read too, if it has a snapshot. */
export interface SourceWithTimer extends Source {
  readonly name: string;
  readonly timer?: object | undefined;
}

type Named<T> = readonly [name: string, source: T];

/** The open sources at one moment, each with a name that is unique among its kind. */
export interface Look<P, T> {
  readonly purgatories: readonly Named<P>[];
  readonly timers: readonly Named<T>[];
}

export class LiveSources<P extends SourceWithTimer, T extends Source> {
  readonly #purgatories: Sources<P>;
  readonly #timers: NamedSources<T>;
  readonly #shorten: (name: string) => string;
  /**
   * The names of the open sources. Null for a source that an event named and that is not one of
   * ours.
   */
  #names = new WeakMap<object, string | null>();

  /** @param shorten makes a shown name from the name of a purgatory. */
  constructor(purgatories: Sources<P>, timers: NamedSources<T>, shorten = (name: string): string => name) {
    this.#purgatories = purgatories;
    this.#timers = timers;
    this.#shorten = shorten;
    this.look();
  }

  /** Reads the sources. O(sources). */
  look(): Look<P, T> {
    const before = this.#names;
    const open = openSources(this.#purgatories);
    const taken = new Set(open.map((each) => before.get(each)));
    const purgatories = open.map((each): Named<P> => {
      const name = before.get(each) ?? freeName(this.#shorten(each.name), taken);
      taken.add(name);
      return [name, each];
    });
    const timers = this.#openTimers(purgatories);
    this.#names = new WeakMap();
    for (const [name, source] of [...purgatories, ...timers]) this.#names.set(source, name);
    return { purgatories, timers };
  }

  /**
   * The name of the purgatory or timer of an event. Undefined when it is not one of ours. A new one
   * costs a look.
   */
  nameOf(source: object): string | undefined {
    if (!this.#names.has(source)) {
      this.look();
      if (!this.#names.has(source)) this.#names.set(source, null);
    }
    return this.#names.get(source) ?? undefined;
  }

  /** The timers that were given, then those of purgatories, each once. */
  #openTimers(purgatories: readonly Named<P>[]): Named<T>[] {
    const timers = openNamedSources(this.#timers);
    const known = new Set<object>(timers.map(([, timer]) => timer));
    const names = new Set(timers.map(([name]) => name));
    for (const [name, { timer }] of purgatories) {
      if (!isOpenSource<T>(timer) || known.has(timer)) continue;
      known.add(timer);
      timers.push([names.has(name) ? `purgatory ${name}` : name, timer]);
    }
    return timers;
  }
}

/** The sources that are open now, each once. O(sources). */
export function openSources<T extends Source>(sources: Sources<T>): T[] {
  const read = typeof sources === 'function' ? sources() : sources;
  return Array.from(new Set(read)).filter(({ isClosed }) => isClosed !== true);
}

/** The sources that are open now. One without a name is named by its place. O(sources). */
export function openNamedSources<T extends Source>(sources: NamedSources<T>): Named<T>[] {
  return namedSources(sources).filter(([, { isClosed }]) => isClosed !== true);
}

/**
 * @throws TypeError ERR_INVALID_ARG_TYPE for a value that is neither iterable nor a function, or
 * that yields something without snapshot().
 */
export function checkSources(name: string, sources: unknown, what: string): void {
  const read = typeof sources === 'function' ? sources() : sources;
  if (!isIterable(read)) {
    throw invalidArgType(name, `an array or a Set of ${kindOf(name)}, or a function that returns one`, read);
  }
  let index = 0;
  for (const each of read) checkSource(`${name}[${index++}]`, each, what);
}

/** As {@link checkSources}. An object of sources by name is allowed too. */
export function checkNamedSources(name: string, sources: unknown, what: string): void {
  const read = typeof sources === 'function' ? sources() : sources;
  // A source itself is an object too. Its fields are no sources.
  if (typeof read !== 'object' || read === null || hasSnapshot(read)) {
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

function namedSources<T>(sources: NamedSources<T>): Named<T>[] {
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

function isOpenSource<T extends Source>(source: object | undefined): source is T {
  return hasSnapshot(source) && source.isClosed !== true;
}

function hasSnapshot(value: unknown): value is Source {
  return typeof (value as Partial<Source> | null | undefined)?.snapshot === 'function';
}

/** `name`, with a number behind it if it is taken. */
function freeName(name: string, taken: ReadonlySet<string | null | undefined>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} (${number})`)) number++;
  return `${name} (${number})`;
}
