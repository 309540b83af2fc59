// What is measured now, read anew from the sources at each scrape: those that are open, with the values of their labels.
//
// Ground rules. It keeps no source: labels are found by weak reference. An event costs a look-up; one of a source that was not seen yet
// reads the sources, once between two looks.
import { listen } from '../events/index.ts';
import { openSources } from '../live-sources.ts';
import type { OperationEnded } from '../purgatory/operation-events.ts';
import type { MeasuredPurgatory, MeasuredTimer, MetricSources, NamedSources } from './sources.ts';

type Named<T> = readonly [name: string, source: T];

/** What there is to measure at one moment. */
export interface Look {
  readonly purgatories: readonly Named<MeasuredPurgatory>[];
  readonly timers: readonly Named<MeasuredTimer>[];
}

export class Measured {
  readonly #sources: MetricSources;
  readonly #warned = new Set<string>();
  /** The labels of purgatories and timers; null: it is none of ours. */
  #labels = new WeakMap<object, string | null>();

  constructor(sources: MetricSources) {
    this.#sources = sources;
    this.look();
  }

  /** Reads the sources. To be called at each scrape. */
  look(): Look {
    const purgatories = this.#purgatories();
    const timers = this.#timers(purgatories);
    this.#labels = new WeakMap();
    for (const [name, source] of [...purgatories, ...timers]) this.#labels.set(source, name);
    return { purgatories, timers };
  }

  /** The label of a purgatory or timer that an event tells of; undefined when it is not measured. */
  labelOf(source: object): string | undefined {
    if (!this.#labels.has(source)) {
      this.look();
      if (!this.#labels.has(source)) this.#labels.set(source, null);
    }
    return this.#labels.get(source) ?? undefined;
  }

  /** Of two that are open and have one name, the first. */
  #purgatories(): Named<MeasuredPurgatory>[] {
    const named = new Map<string, MeasuredPurgatory>();
    for (const purgatory of openSources<MeasuredPurgatory>(this.#sources.purgatories ?? [])) {
      const { name } = purgatory;
      if (named.has(name)) this.#warn(name);
      else named.set(name, purgatory);
    }
    return [...named];
  }

  /** Those that are given, then those of purgatories, each once. */
  #timers(purgatories: readonly Named<MeasuredPurgatory>[]): Named<MeasuredTimer>[] {
    const timers = namedTimers(this.#sources.timers).filter(([, { isClosed }]) => isClosed !== true);
    const known = new Set<object>(timers.map(([, timer]) => timer));
    const names = new Set(timers.map(([name]) => name));
    for (const [purgatory, { timer }] of purgatories) {
      if (!isOpenTimer(timer) || known.has(timer)) continue;
      known.add(timer);
      timers.push([names.has(purgatory) ? `purgatory ${purgatory}` : purgatory, timer]);
    }
    return timers;
  }

  /** Calls `onEnd` for each operation that leaves one of the purgatories; returns what ends that. */
  listenToEndings(onEnd: (purgatory: string, parkedMs: number) => void): () => void {
    const receive = ({ purgatory, parkedMs }: OperationEnded): void => {
      const label = this.labelOf(purgatory);
      if (label !== undefined) onEnd(label, parkedMs);
    };
    const stops = ENDINGS.map((name) => listen(name, receive));
    return () => {
      for (const stop of stops) stop();
    };
  }

  #warn(name: string): void {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    process.emitWarning(`Two open purgatories have the name '${name}': only the first is measured`, {
      code: 'PURGATORY_SAME_NAME',
    });
  }
}

export function namedTimers(timers: MetricSources['timers']): Named<MeasuredTimer>[] {
  const read = typeof timers === 'function' ? timers() : (timers ?? []);
  if (isIterable(read)) return Array.from(read, (timer, index) => [`${index}`, timer] as const);
  return Object.entries(read);
}

function isIterable<T>(read: NamedSources<T>): read is Iterable<T> {
  return typeof (read as Partial<Iterable<T>>)[Symbol.iterator] === 'function';
}

function isOpenTimer(timer: object | undefined): timer is MeasuredTimer {
  const { snapshot, isClosed } = (timer ?? {}) as Partial<MeasuredTimer>;
  return typeof snapshot === 'function' && isClosed !== true;
}

const ENDINGS = [
  'purgatory:operation:completed',
  'purgatory:operation:expired',
  'purgatory:operation:cancelled',
] as const;
