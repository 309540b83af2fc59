// Whose frames have been heard, and which of them.
//
// Ground rules. It keeps the last number of each process that was heard of lately, and the numbers
// that are missing before it. A number that does not follow the last one means that frames are
// missing. A process that is unknown may just be new here; but a bus that has been live for long
// would have heard its echoes before, so then its first frame must be number 1.
// Costs. note: O(1), and O(missing frames) at a hole, at most MAX_MISSING.

/**
 * `inOrder`: the next one. `jumped`: frames before it are missing. `late`: one of those.
 * `repeated`: it has come before.
 */
export type Arrival = 'inOrder' | 'jumped' | 'late' | 'repeated';

interface Heard {
  first: number;
  last: number;
  atMs: number;
  missing: Set<number> | undefined;
}

/** Frames that are missing longer ago are taken for repeated when they come. */
const MAX_MISSING = 1_000;

export class Origins {
  readonly #heard = new Map<string, Heard>();

  /** Processes that were heard of. */
  get size(): number {
    return this.#heard.size;
  }

  /** @param knowsAll whether every process that is older than this frame must have been heard. */
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

  /** Forgets who was last heard of before `beforeMs`: processes that have ended. O(size). */
  forget(beforeMs: number): void {
    for (const [origin, { atMs }] of this.#heard) if (atMs < beforeMs) this.#heard.delete(origin);
  }

  /** Forgets all: after a gap a hole in the numbers tells nothing new. */
  clear(): void {
    this.#heard.clear();
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
