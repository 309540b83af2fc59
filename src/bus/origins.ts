// Whose frames have been heard, and up to which number.
//
// Ground rules. It keeps one number for each process that was heard of lately. A number that does not follow the last one means that frames
// are missing. A process that is unknown may just be new here; but a bus that has been live for long would have heard its echoes before,
// so then its first frame must be number 1.
// Costs. note: O(1).

/** `inOrder`: the next one. `jumped`: frames before it are missing. `stale`: it came before, or after its successors. */
export type Arrival = 'inOrder' | 'jumped' | 'stale';

export class Origins {
  #last = new Map<string, { number: number; heardMs: number }>();

  /** Processes that were heard of. */
  get size(): number {
    return this.#last.size;
  }

  /** @param knowsAll whether every process that is older than this frame must have been heard. */
  note(origin: string, number: number, nowMs: number, knowsAll: boolean): Arrival {
    const last = this.#last.get(origin);
    if (last === undefined) {
      this.#last.set(origin, { number, heardMs: nowMs });
      return knowsAll && number > 1 ? 'jumped' : 'inOrder';
    }
    if (number <= last.number) return 'stale';
    const arrival = number === last.number + 1 ? 'inOrder' : 'jumped';
    last.number = number;
    last.heardMs = nowMs;
    return arrival;
  }

  /** Forgets who was last heard of before `beforeMs`: processes that have ended. O(size). */
  forget(beforeMs: number): void {
    for (const [origin, { heardMs }] of this.#last) if (heardMs < beforeMs) this.#last.delete(origin);
  }

  /** Forgets all: after a gap a hole in the numbers tells nothing new. */
  clear(): void {
    this.#last.clear();
  }
}
