// The purgatories, timers and buses that an observer reads, with their names. Some are given at
// first, some are made later, and closed ones are dropped.
//
// Ground rules. The sources are read anew at each look, in O(sources). None is kept in between:
// names are found by weak reference.
import {
  isOpenSource,
  type NamedSource,
  type NamedSources,
  type ObservedBus,
  type ObservedPurgatory,
  type ObservedTimer,
  openNamedSources,
  openSources,
  type Source,
  type Sources,
} from './sources.ts';

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
    const timers = withOwn(openNamedSources(this.#given.timers), purgatories, ({ timer }) => timer);
    const buses = withOwn(openNamedSources(this.#given.buses), purgatories, ({ $bus }) => $bus);
    this.#names = new WeakMap();
    for (const [name, source] of [...purgatories, ...timers, ...buses]) this.#names.set(source, name);
    return { purgatories, timers, buses };
  }

  /**
   * The name of the purgatory, timer or bus of an event. Undefined when it is not one of ours. A
   * new one costs a look, once.
   */
  nameOf(source: object): string | undefined {
    const name = this.#names.get(source);
    if (name !== undefined || this.#foreign.has(source)) return name;
    this.#foreign.add(source);
    this.look();
    return this.#names.get(source);
  }
}

/** Those that were given, then those of purgatories, each once. */
function withOwn<T extends Source>(
  given: readonly NamedSource<T>[],
  purgatories: readonly NamedSource<ObservedPurgatory>[],
  ownOf: (purgatory: ObservedPurgatory) => object | undefined,
): NamedSource<T>[] {
  const all = [...given];
  const known = new Set<object>(all.map(([, source]) => source));
  const names = new Set(all.map(([name]) => name));
  for (const [name, purgatory] of purgatories) {
    const own = ownOf(purgatory);
    if (!isOpenSource<T>(own) || known.has(own)) continue;
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
