// The naive timer that the real one is compared with: a list sorted by tick, then by the order of
// add.
//
// It runs nothing itself. A driver asks it what must run next, and reports what has run.

export interface Entry {
  readonly id: number;
  readonly tick: number;
  readonly sequence: number;
  /** When it was added, and whether from inside a callback. */
  readonly addedMs: number;
  readonly addedInside: boolean;
}

export class TimerReference {
  readonly tickMs: number;
  readonly #entries: Entry[] = [];
  readonly #ids = new Set<number>();
  #sequence = 0;
  /** Entries younger than this wait for the next pass; undefined while no pass is under way. */
  #passLimit: number | undefined;

  constructor(tickMs: number) {
    this.tickMs = tickMs;
  }

  get size(): number {
    return this.#entries.length;
  }

  get isInPass(): boolean {
    return this.#passLimit !== undefined;
  }

  /** The pending entries in the order in which they are to run. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  edgeMs(entry: Entry): number {
    return entry.tick * this.tickMs;
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  add(id: number, nowMs: number, delayMs: number, addedInside: boolean): void {
    this.remove(id);
    const tick = delayMs > 0 ? Math.ceil((nowMs + delayMs) / this.tickMs) : Math.floor(nowMs / this.tickMs);
    const entry = { id, tick, sequence: ++this.#sequence, addedMs: nowMs, addedInside };
    const index = this.#entries.findIndex((other) => other.tick > tick);
    this.#entries.splice(index < 0 ? this.#entries.length : index, 0, entry);
    this.#ids.add(id);
  }

  remove(id: number): Entry | undefined {
    if (!this.#ids.delete(id)) return undefined;
    const index = this.#entries.findIndex((entry) => entry.id === id);
    return this.#entries.splice(index, 1)[0];
  }

  clear(): readonly Entry[] {
    this.#ids.clear();
    return this.#entries.splice(0);
  }

  beginPass(): void {
    this.#passLimit = this.#sequence;
  }

  endPass(): void {
    this.#passLimit = undefined;
  }

  /** What must run next in the pass under way, if anything is due at `nowMs`. */
  next(nowMs: number): Entry | undefined {
    const limit = this.#passLimit ?? this.#sequence;
    const first = this.#entries.find((entry) => entry.sequence <= limit);
    return first !== undefined && this.edgeMs(first) <= nowMs ? first : undefined;
  }
}
