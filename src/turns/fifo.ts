// What waits to be done, or to be taken, in its order: first in, first out.
//
// An array and the place of its first element: to shift an array is O(n). The places of what was taken
// are cut off when they are a third, and more than a few, so the rest takes little more than its own.
// Costs. O(1) each, amortised; toArray, and remove between the first and the last, O(n).

/** So few places are not cut off. */
const FEW = 16;

export class Fifo<T> {
  /** Those before `#taken` are undefined. @internal */
  readonly items: (T | undefined)[] = [];
  #taken = 0;

  get size(): number {
    return this.items.length - this.#taken;
  }

  /** The first one. Undefined when there is none. */
  get first(): T | undefined {
    return this.items[this.#taken];
  }

  /** The one behind `index` others, which must exist. */
  at(index: number): T {
    return this.items[this.#taken + index] as T;
  }

  toArray(): T[] {
    return this.items.slice(this.#taken) as T[];
  }

  push(item: T): void {
    this.items.push(item);
  }

  /** Takes the first one, which must exist. */
  take(): T {
    const item = this.items[this.#taken] as T;
    this.items[this.#taken++] = undefined;
    this.#cut();
    return item;
  }

  /** Takes the one behind `index` others, which must exist. */
  remove(index: number): T {
    if (index === 0) return this.take();
    const [item] = this.items.splice(this.#taken + index, 1);
    this.#cut();
    return item as T;
  }

  #cut(): void {
    const { items } = this;
    const taken = this.#taken;
    if (taken < FEW || 3 * taken < items.length) return;
    for (let i = taken; i < items.length; i++) items[i - taken] = items[i]; // in place: no new memory
    items.length -= taken;
    this.#taken = 0;
  }
}
