// What the soak does over and over: a load, in units that differ by their seed alone.

/** What a load counts, added up in the ledger. */
export type Counts = Partial<Record<CountName, number>>;

export type CountName = keyof typeof COUNTS;

/** What is counted, by the words of the report; those with an aim are published. */
export const COUNTS = {
  modelSteps: { label: 'model steps', aim: 1e9 },
  kills: { label: 'SIGKILLs', aim: 1_000 },
  frames: { label: 'hostile frames', aim: 1e7 },
  served: { label: 'of them to a broker', aim: undefined },
  records: { label: 'records acknowledged and found again', aim: undefined },
  fullDisks: { label: 'full disks', aim: undefined },
  throws: { label: 'throws of callbacks', aim: undefined },
  overflows: { label: 'stack overflows', aim: undefined },
} as const;

export interface Load {
  /**
   * Does what the seed says, and throws an error where something is wrong. A second or so, and the
   * same again for the same seed, as far as the host lets it.
   */
  run(seed: number, counts: Counts): void | Promise<void>;
  /** Gives back what the units share. */
  end?(): void | Promise<void>;
}

export function count(counts: Counts, name: CountName, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by;
}

/** What does not hold is an error: the seed that led to it is printed with it. */
export function holds(condition: boolean, what: () => string): void {
  if (!condition) throw new Error(what());
}
