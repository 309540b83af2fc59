// The items of a key, in their order, and those who wait for one.
//
// Invariants. Items that came back are in a heap, by their turns, and before all others: they were
// taken before these. The others are in a ring: `#inRing` elements from `#head` on, and all else is
// undefined. The length of the ring is a power of two, and at least an eighth of it is in use, or it
// is short. push, shift: O(1), amortised. putBack, shiftBack: O(log items that came back).
import { PriorityQueue } from '@datastructures-js/priority-queue';
import { mustHold } from '../../base/must-hold.ts';
import { Line } from '../lines/line.ts';

/** A ring that is not made smaller. */
const SHORT = 16;

/** An item that has been taken. The turns of a key are in the order in which its items were put. */
export interface TakenItem<V> {
  readonly turn: number;
  readonly item: V;
}

export class ItemLine<K, V> extends Line<K> {
  #inRing = 0;
  #ring: (V | undefined)[] = [];
  #head = 0;
  /** Undefined while there is none. */
  #cameBack: PriorityQueue<TakenItem<V>> | undefined = undefined;

  get size(): number {
    return this.#cameBack === undefined ? this.#inRing : this.#inRing + this.#cameBack.size();
  }

  override get isIdle(): boolean {
    return this.waiting === 0 && this.size === 0;
  }

  push(item: V): void {
    if (this.#inRing === this.#ring.length) this.#resize(2 * this.#inRing);
    this.#ring[this.#at(this.#inRing)] = item;
    this.#inRing++;
  }

  /** Adds one that was taken, or is to be taken as if it had been. */
  putBack(taken: TakenItem<V>): void {
    this.#cameBack ??= new PriorityQueue<TakenItem<V>>((x, y) => x.turn - y.turn);
    this.#cameBack.enqueue(taken);
  }

  /** Takes off the first of those that came back, if there is one: it comes before `shift`. */
  shiftBack(): TakenItem<V> | undefined {
    const cameBack = this.#cameBack;
    if (cameBack === undefined) return undefined;
    if (cameBack.size() === 1) this.#cameBack = undefined;
    return cameBack.dequeue() as TakenItem<V>;
  }

  /** Takes off the first of the others; there is one. */
  shift(): V {
    const ring = this.#ring;
    const item = ring[this.#head] as V;
    ring[this.#head] = undefined;
    this.#head = this.#at(1);
    this.#inRing--;
    if (ring.length > SHORT && 8 * this.#inRing < ring.length) this.#resize(ring.length / 2);
    return item;
  }

  /** Takes off all that are kept, in their order. */
  takeAll(): V[] {
    const cameBack = this.#cameBack?.toArray().map(({ item }) => item) ?? [];
    const items = cameBack.concat(this.#inOrder());
    this.#cameBack = undefined;
    this.#ring = [];
    this.#head = 0;
    this.#inRing = 0;
    return items;
  }

  /** Takes off the first that is the same as `item`, as a Map compares them. True iff there is one. */
  remove(item: V): boolean {
    const isIt = (each: V): boolean => each === item || (Number.isNaN(each) && Number.isNaN(item));
    if (this.#removeBack(isIt)) return true;
    const index = this.#inOrder().findIndex(isIt);
    if (index < 0) return false;
    for (let i = index; i > 0; i--) this.#ring[this.#at(i)] = this.#ring[this.#at(i - 1)];
    this.shift();
    return true;
  }

  #removeBack(isIt: (item: V) => boolean): boolean {
    const cameBack = this.#cameBack;
    if (cameBack === undefined) return false;
    const first = cameBack.toArray().find(({ item }) => isIt(item));
    if (first === undefined) return false;
    cameBack.remove((each) => each === first);
    if (cameBack.isEmpty()) this.#cameBack = undefined;
    return true;
  }

  /** Where in the ring the item `i` behind the first is. */
  #at(i: number): number {
    return (this.#head + i) & (this.#ring.length - 1);
  }

  /** The items in the ring. */
  #inOrder(): V[] {
    return Array.from({ length: this.#inRing }, (_, i) => this.#ring[this.#at(i)] as V);
  }

  #resize(length: number): void {
    const items: (V | undefined)[] = this.#inOrder();
    const room = Math.max(length, 2);
    while (items.length < room) items.push(undefined);
    this.#ring = items;
    this.#head = 0;
  }

  /** Throws unless the ring is sound. For tests: O(length). */
  check(): void {
    const { length } = this.#ring;
    const inRing = this.#inRing;
    mustHold((length & (length - 1)) === 0 && inRing <= length, `${inRing} items in a ring of ${length}`);
    mustHold(length <= SHORT || 8 * inRing >= length, `${inRing} items keep a ring of ${length}`);
    for (let i = inRing; i < length; i++) {
      mustHold(this.#ring[this.#at(i)] === undefined, 'an item is kept that was taken');
    }
    mustHold(this.#cameBack === undefined || this.#cameBack.size() > 0, 'an empty heap is kept');
  }
}
