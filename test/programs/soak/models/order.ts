// The naive twin of a timer: ids in an array, sorted by tick, then by the order of add.

const NOT_PENDING = -1;

export class Order {
  readonly #tickMs: number;
  /** The pending ids, the first to run at the end. */
  readonly #ids: number[] = [];
  readonly #ticks: Float64Array;
  readonly #sequences: Float64Array;
  #sequence = 0;
  #passLimit = Number.POSITIVE_INFINITY;

  constructor(tickMs: number, most: number) {
    this.#tickMs = tickMs;
    this.#ticks = new Float64Array(most);
    this.#sequences = new Float64Array(most).fill(NOT_PENDING);
  }

  get size(): number {
    return this.#ids.length;
  }

  has(id: number): boolean {
    return this.#sequences[id] !== NOT_PENDING;
  }

  add(id: number, nowMs: number, delayMs: number): void {
    if (this.has(id)) this.remove(id);
    const tickMs = this.#tickMs;
    this.#ticks[id] = delayMs > 0 ? Math.ceil((nowMs + delayMs) / tickMs) : Math.floor(nowMs / tickMs);
    this.#sequences[id] = ++this.#sequence;
    this.#ids.splice(this.#indexOf(id), 0, id);
  }

  remove(id: number): boolean {
    if (!this.has(id)) return false;
    this.#ids.splice(this.#indexOf(id), 1);
    this.#sequences[id] = NOT_PENDING;
    return true;
  }

  /** From now on, only tasks that are pending already may run, until `endPass`. */
  beginPass(): void {
    this.#passLimit = this.#sequence;
  }

  endPass(): void {
    this.#passLimit = Number.POSITIVE_INFINITY;
  }

  get isInPass(): boolean {
    return this.#passLimit !== Number.POSITIVE_INFINITY;
  }

  /** The id that must run next at `nowMs`. -1 for none. */
  next(nowMs: number): number {
    for (let index = this.#ids.length - 1; index >= 0; index--) {
      const id = this.#ids[index];
      if (this.#ticks[id] * this.#tickMs > nowMs) break;
      if (this.#sequences[id] <= this.#passLimit) return id;
    }
    return -1;
  }

  /** Where `id` is, or belongs. */
  #indexOf(id: number): number {
    const tick = this.#ticks[id];
    const sequence = this.#sequences[id];
    let from = 0;
    let to = this.#ids.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = this.#ids[middle];
      const isLater =
        this.#ticks[other] > tick || (this.#ticks[other] === tick && this.#sequences[other] > sequence);
      if (isLater) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
