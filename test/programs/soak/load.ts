// A load of the soak: work that is repeated in units. Units differ only by their seed.
import { HISTORIES } from './models/short-units.ts';

/** The counters of a load, added up in the ledger. */
export type Counts = Partial<Record<CountName, number>>;

export type CountName = keyof typeof COUNTS;

/** All counters, with the words of the report. Those with an aim are published. */
export const COUNTS = {
  modelSteps: { label: 'model steps', aim: 1e9 },
  histories: { label: 'short histories', aim: HISTORIES },
  kills: { label: 'SIGKILLs', aim: 1_000 },
  frames: { label: 'hostile frames', aim: 1e7 },
  served: { label: 'of them to a broker', aim: undefined },
  records: { label: 'records acknowledged and found again', aim: undefined },
  fullDisks: { label: 'full disks', aim: undefined },
  throws: { label: 'throws of callbacks', aim: undefined },
  overflows: { label: 'stack overflows', aim: undefined },
  cutOffs: { label: 'of them inside the engine', aim: undefined },
} as const;

export interface Load {
  /**
   * Does the work of the seed, and throws an error where something is wrong. It takes a second or
   * so. The same seed does the same work, as far as the host allows.
   */
  run(seed: number, counts: Counts): void | Promise<void>;
  /** Frees what the units share. */
  end?(): void | Promise<void>;
}

export function count(counts: Counts, name: CountName, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by;
}

/** Throws an error unless `condition` holds. The error is printed with the seed that led to it. */
export function holds(condition: boolean, what: () => string): void {
  if (!condition) throw new Error(what());
}
