// The processes whose frames have arrived, and the numbers of those frames.
//
// Ground rules. It keeps the last number of each process that has sent something lately. A number
// beyond the next one means that frames are missing. One that is not beyond the last one has come
// before: an engine keeps the order of a process. A process that is unknown may be new. But a bus
// that has been live for long would have received echoes of an older process. So then the first
// frame of an unknown process must be number 1.
//
// Costs. note: O(1).

/** `inOrder`: the next one. `jumped`: frames before it are missing. `repeated`: not a new one. */
export type Arrival = 'inOrder' | 'jumped' | 'repeated';

interface Heard {
  last: number;
  atMs: number;
}

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
    const last = this.#heard.get(origin)?.last ?? (knowsAll ? 0 : number - 1);
    this.#heard.set(origin, { last: Math.max(last, number), atMs: nowMs });
    if (number <= last) return 'repeated';
    return number === last + 1 ? 'inOrder' : 'jumped';
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
