// What waits to be done in its order: first in, first out.
//
// An array and the place of its first element: to shift an array is O(n). The memory is given back
// when nothing is left. Costs. O(1) each.

export class Fifo<T> {
  #items: T[] = [];
  #taken = 0;

  get size(): number {
    return this.#items.length - this.#taken;
  }

  /** The first one. Undefined when there is none. */
  get first(): T | undefined {
    return this.#items[this.#taken];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes the first one, which must exist. */
  take(): T {
    const item = this.#items[this.#taken++];
    if (this.size === 0) {
      this.#items = [];
      this.#taken = 0;
    }
    return item;
  }
}
