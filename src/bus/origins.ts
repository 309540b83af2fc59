// The processes whose frames have arrived, and the numbers of those frames.
//
// Ground rules. It keeps the last number of each process that has sent something lately, and the
// numbers that are missing before it. A number that does not follow the last one means that frames
// are missing. A process that is unknown may be new. But a bus that has been live for long would
// have received echoes of an older process. So then the first frame of an unknown process must be
// number 1.
// Costs. note: O(1), and O(missing frames) where frames are missing, at most MAX_MISSING.

/**
 * `inOrder`: the next one. `jumped`: frames before it are missing. `late`: it was missing.
 * `repeated`: it has arrived before.
 */
export type Arrival = 'inOrder' | 'jumped' | 'late' | 'repeated';

interface Heard {
  first: number;
  last: number;
  atMs: number;
  missing: Set<number> | undefined;
}

/**
 * The most missing numbers that are kept. Frames that have been missing for longer count as
 * repeated when they arrive.
 */
const MAX_MISSING = 1_000;

export class Origins {
  readonly #heard = new Map<string, Heard>();
  /** Those among them that do not listen to buckets. */
  readonly #deaf = new Set<string>();

  /** The number of processes that have sent something. */
  get size(): number {
    return this.#heard.size;
  }

  /** Whether all of them listen to buckets. */
  get allRoute(): boolean {
    return this.#deaf.size === 0;
  }

  /** A process that does not listen to buckets has sent something. True for the first time. */
  noteDeaf(origin: string): boolean {
    const { size } = this.#deaf;
    return this.#deaf.add(origin).size > size;
  }

  /**
   * @param knowsAll whether every process that is older than this frame must have sent something.
   */
  note(origin: string, number: number, nowMs: number, knowsAll: boolean): Arrival {
    const heard = this.#heard.get(origin);
    if (heard === undefined) {
      this.#heard.set(origin, { first: number, last: number, atMs: nowMs, missing: undefined });
      return knowsAll && number > 1 ? 'jumped' : 'inOrder';
    }
    heard.atMs = nowMs;
    if (number > heard.last) {
      const isNext = number === heard.last + 1;
      if (!isNext) {
        heard.missing ??= new Set();
        miss(heard.missing, heard.last + 1, number);
      }
      heard.last = number;
      return isNext ? 'inOrder' : 'jumped';
    }
    if (number < heard.first) {
      heard.missing ??= new Set();
      miss(heard.missing, number + 1, heard.first);
      heard.first = number;
      return 'late';
    }
    return heard.missing?.delete(number) === true ? 'late' : 'repeated';
  }

  /** Forgets processes whose last frame came before `beforeMs`: they have ended. O(size). */
  forget(beforeMs: number): void {
    for (const [origin, { atMs }] of this.#heard) {
      if (atMs >= beforeMs) continue;
      this.#heard.delete(origin);
      this.#deaf.delete(origin);
    }
  }

  /** Forgets all. After a gap, a missing number means nothing new. */
  clear(): void {
    this.#heard.clear();
    this.#deaf.clear();
  }
}

/** Adds the numbers in [from, to), and drops the oldest when they are too many. */
function miss(missing: Set<number>, from: number, to: number): void {
  for (let number = Math.max(from, to - MAX_MISSING); number < to; number++) missing.add(number);
  for (const oldest of missing) {
    if (missing.size <= MAX_MISSING) break;
    missing.delete(oldest);
  }
}
