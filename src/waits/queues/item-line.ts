// The items of a key, in their order, and those who wait for one.
//
// Invariants. The items are `size` elements of the ring from `#head` on; all others are undefined.
// The length of the ring is a power of two, and at least an eighth of it is in use, or it is short.
// push, pushFront, shift: O(1), amortised.
import { mustHold } from '../../base/must-hold.ts';
import { Line } from '../lines/line.ts';

/** A ring that is not made smaller. */
const SHORT = 16;

export class ItemLine<K, V> extends Line<K> {
  size = 0;
  #ring: (V | undefined)[] = [];
  #head = 0;

  override get isIdle(): boolean {
    return this.waiting === 0 && this.size === 0;
  }

  push(item: V): void {
    if (this.size === this.#ring.length) this.#resize(2 * this.size);
    this.#ring[(this.#head + this.size) & (this.#ring.length - 1)] = item;
    this.size++;
  }

  /** Adds it before the others. */
  pushFront(item: V): void {
    if (this.size === this.#ring.length) this.#resize(2 * this.size);
    this.#head = (this.#head - 1) & (this.#ring.length - 1);
    this.#ring[this.#head] = item;
    this.size++;
  }

  /** Takes the first item off; there is one. */
  shift(): V {
    const ring = this.#ring;
    const item = ring[this.#head] as V;
    ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (ring.length - 1);
    this.size--;
    if (ring.length > SHORT && 8 * this.size < ring.length) this.#resize(ring.length / 2);
    return item;
  }

  #resize(length: number): void {
    const ring: (V | undefined)[] = Array(Math.max(length, 2)).fill(undefined);
    for (let i = 0; i < this.size; i++) ring[i] = this.#ring[(this.#head + i) & (this.#ring.length - 1)];
    this.#ring = ring;
    this.#head = 0;
  }

  /** Throws unless the ring is sound. For tests: O(length). */
  check(): void {
    const { length } = this.#ring;
    mustHold(
      (length & (length - 1)) === 0 && this.size <= length,
      `${this.size} items in a ring of ${length}`,
    );
    mustHold(length <= SHORT || 8 * this.size >= length, `${this.size} items keep a ring of ${length}`);
    for (let i = this.size; i < length; i++) {
      mustHold(this.#ring[(this.#head + i) & (length - 1)] === undefined, 'an item is kept that was taken');
    }
  }
}
