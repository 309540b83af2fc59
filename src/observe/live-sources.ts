// The purgatories, timers and buses that an observer reads, with their names. Some are given at
// first, some are made later, and closed ones are dropped. A bus or a timer that an open purgatory
// is on is read though it is closed: a bus that was refused would else be gone from sight.
//
// Ground rules. The sources are checked once, when they are given. They are read anew at each look,
// in O(sources). What the user's own function or iterable throws then passes through. None is kept
// in between: names are found by weak reference.
import { isMap } from 'node:util/types';
import { invalidArgType } from '../base/node-errors.ts';
import { NO_EVENTS, type PurgatorySnapshot } from '../purgatory/telemetry/purgatory-snapshot.ts';
import type {
  NamedSources,
  ObservedBus,
  ObservedPurgatory,
  ObservedSnapshot,
  ObservedTimer,
  Source,
  Sources,
} from './sources.ts';

/** A source with the name that it is shown by. */
type NamedSource<T> = readonly [name: string, source: T];

/** What an observer is given. */
export interface GivenSources {
  readonly purgatories: Sources<ObservedPurgatory>;
  readonly timers: NamedSources<ObservedTimer>;
  readonly buses: NamedSources<ObservedBus>;
}

/** The open sources at one moment, each with a name that is unique among its kind. */
export interface Look {
  readonly purgatories: readonly NamedSource<ObservedPurgatory>[];
  readonly timers: readonly NamedSource<ObservedTimer>[];
  readonly buses: readonly NamedSource<ObservedBus>[];
}

export class LiveSources {
  readonly #given: GivenSources;
  readonly #shorten: (name: string) => string;
  /** The names of the open sources. */
  #names = new WeakMap<object, string>();
  /** Sources of events that were not among ours when a look was made for them. */
  readonly #foreign = new WeakSet<object>();

  /** @param shorten makes a shown name from the name of a purgatory. */
  constructor(given: GivenSources, shorten = (name: string): string => name) {
    this.#given = given;
    this.#shorten = shorten;
    this.look();
  }

  /** Reads the sources. O(sources). */
  look(): Look {
    const before = this.#names;
    const open = openSources(this.#given.purgatories);
    const taken = new Set(open.map((each) => before.get(each)));
    const purgatories = open.map((each): NamedSource<ObservedPurgatory> => {
      const name = before.get(each) ?? freeName(this.#shorten(each.name), taken);
      taken.add(name);
      return [name, each];
    });
    const timers = withOwn(this.#given.timers, purgatories, ({ timer }) => timer);
    const buses = withOwn(this.#given.buses, purgatories, ({ $bus }) => $bus);
    this.#names = new WeakMap();
    for (const [name, source] of [...purgatories, ...timers, ...buses]) this.#names.set(source, name);
    return { purgatories, timers, buses };
  }

  /**
   * The name of the purgatory, timer or bus of an event. Undefined when it is not one of ours. A
   * new one costs a look, once. What the sources throw then is left to the next reader of them: an
   * event must end no process.
   */
  nameOf(source: object): string | undefined {
    const name = this.#names.get(source);
    if (name !== undefined || this.#foreign.has(source)) return name;
    this.#foreign.add(source);
    try {
      this.look();
    } catch {
      return undefined;
    }
    return this.#names.get(source);
  }
}

/**
 * The snapshot of a source, in the words of a purgatory's: a reply that is expected and an element
 * that is tracked are parked, and an element that was idle has expired. What it lacks is nothing.
 */
export function snapshotOf(source: ObservedPurgatory, top: number): ObservedSnapshot {
  const read = source.snapshot({ top });
  const { nowMs } = read;
  if ('tracked' in read) {
    const { tracked, totals, quietest, timeoutMs: _, ...same } = read;
    const ended = { expired: totals.idle, cancelled: totals.removed, failed: totals.failed };
    const oldest = quietest.map(({ element, quietMs, remainingMs }) => {
      const deadlineMs = remainingMs === null ? null : nowMs + remainingMs;
      return { ageMs: quietMs, deadlineMs, keys: [element], type: 'touch' };
    });
    const all = { ...ALL, parked: totals.tracked, ...ended };
    return { ...NOTHING, ...same, ...parked(tracked), tracked, oldest, totals: all };
  }
  if ('expected' in read) {
    const { expected, maxPending: _, totals, oldest: old, ...same } = read;
    const { expected: all, resolved: completed, ...ended } = totals;
    const oldest = old.map(({ id, ...reply }) => ({ ...reply, keys: [id], type: 'expect' }));
    const counts = { ...ALL, ...ended, parked: all, completed };
    return { ...NOTHING, ...same, ...parked(expected), expected, oldest, totals: counts };
  }
  return { ...NOTHING, ...read };
}

/** What one that is no purgatory has nothing of. */
const NOTHING = {
  maxParked: null,
  refused: {},
  events: NO_EVENTS,
  openTries: { open: 0, oldest: null },
  endless: { parked: 0 },
  oldestMs: null,
  hottestKeys: [],
} satisfies Partial<PurgatorySnapshot>;
const ALL = { completed: 0, expired: 0, cancelled: 0, rejected: 0, failed: 0 };

/** Each under a key of its own. */
function parked(size: number): Pick<PurgatorySnapshot, 'parked' | 'watched' | 'watchedKeys'> {
  return { parked: size, watched: size, watchedKeys: size };
}

/** Those that were given, then those of purgatories, each once. */
function withOwn<T extends Source>(
  given: NamedSources<T>,
  purgatories: readonly NamedSource<ObservedPurgatory>[],
  ownOf: (purgatory: ObservedPurgatory) => object | undefined,
): NamedSource<T>[] {
  const used = new Set(purgatories.map(([, purgatory]) => ownOf(purgatory)));
  const all = namedSources(given).filter(([, source]) => isOpen(source) || used.has(source));
  const known = new Set<object>(all.map(([, source]) => source));
  const names = new Set(all.map(([name]) => name));
  for (const [name, purgatory] of purgatories) {
    const own = ownOf(purgatory);
    if (!hasSnapshot<T>(own) || known.has(own)) continue;
    const free = freeName(names.has(name) ? `purgatory ${name}` : name, names);
    known.add(own);
    names.add(free);
    all.push([free, own]);
  }
  return all;
}

/** `name`, with a number behind it if it is taken. */
function freeName(name: string, taken: ReadonlySet<string | undefined>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} (${number})`)) number++;
  return `${name} (${number})`;
}

/** The sources that are open now, each once. O(sources). */
export function openSources<T extends Source>(sources: Sources<T>): T[] {
  return Array.from(new Set(readOf(sources))).filter(isOpen);
}

/**
 * @throws TypeError ERR_INVALID_ARG_TYPE for a purgatory itself, a list of them, or a function,
 * where `given` is to be an object that has them.
 */
export function refuseBareSources(name: string, given: unknown): void {
  if (!hasSnapshot(given) && !isIterable(given) && typeof given !== 'function') return;
  throw invalidArgType(name, 'an object of sources, such as { purgatories: [orders] }', given);
}

/**
 * @param named whether an object of them by name will do, too.
 * @throws TypeError ERR_INVALID_ARG_TYPE for a value that has no sources, for a Map (its items are
 * pairs, and it may have none yet that would be refused), or for one that yields something without
 * snapshot().
 */
export function checkSources(name: string, sources: unknown, what: string, named = false): void {
  const read = readOf(sources);
  const kind = name.slice(name.indexOf('.') + 1); // `timers` of `options.timers`
  // A source itself is an object, too. Its fields are no sources.
  const isObject = typeof read === 'object' && read !== null && !hasSnapshot(read);
  if (!(named ? isObject : isIterable(read)) || isMap(read)) {
    const expected = named
      ? `an array of ${kind}, an object of them by name, or a function that returns one`
      : `an array or a Set of ${kind}, or a function that returns one`;
    throw invalidArgType(name, expected, read);
  }
  for (const [key, each] of namedSources(read as NamedSources<Source>)) {
    if (!hasSnapshot(each)) throw invalidArgType(`${name}[${key}]`, what, each);
  }
}

function readOf<S>(sources: S | (() => S)): S {
  return typeof sources === 'function' ? (sources as () => S)() : sources;
}

/** A source without a name is named by its place. */
function namedSources<T>(sources: NamedSources<T>): NamedSource<T>[] {
  const read = readOf(sources);
  if (isIterable(read)) return Array.from(read as Iterable<T>, (each, index) => [`${index}`, each] as const);
  return Object.entries(read);
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function isOpen({ isClosed }: Source): boolean {
  return isClosed !== true;
}

function hasSnapshot<T extends Source>(value: unknown): value is T {
  return typeof (value as Partial<Source> | null | undefined)?.snapshot === 'function';
}
