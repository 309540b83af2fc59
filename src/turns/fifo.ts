// What waits to be done in its order: first in, first out.
//
// An array and the place of its first element: to shift an array is O(n). What was taken is cut off
// when it is a half, so a queue that never becomes empty keeps nothing that was taken for long.
// Costs. O(1) each, amortised.

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
    if (2 * this.#taken >= this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}
