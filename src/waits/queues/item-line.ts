// The items of a key, in their order, and those who wait for one.
//
// Invariants. Items that came back come before all others: they were taken before these. One that is
// to be the first goes on a stack, whose top is the first of it, and others into a heap, by their
// turns. What was never taken is in a ring: `#inRing` elements from `#head` on, and all else is
// undefined. The length of the ring is a power of two, and at least an eighth of it is in use, or it
// is short. push, shift: O(1), amortised. putBack, shiftBack: O(1), or O(log items in the heap).
import { PriorityQueue } from '@datastructures-js/priority-queue';
import { Line } from '../lines/line.ts';

/** A ring that is not made smaller. */
const SHORT = 16;

/** An item that has been taken. The turns of a key are in the order in which its items were put. */
export interface TakenItem<V> {
  readonly turn: number;
  readonly item: V;
}

const byTurn = (x: TakenItem<unknown>, y: TakenItem<unknown>): number => x.turn - y.turn;

export class ItemLine<K, V> extends Line<K> {
  /** @internal */
  inRing: number = 0;
  /** @internal */
  ring: (V | undefined)[] = [];
  #head = 0;
  /** Undefined where none came back. */
  #stack: TakenItem<V>[] | undefined = undefined;
  #heap: PriorityQueue<TakenItem<V>> | undefined = undefined;

  get size(): number {
    return this.inRing + (this.#stack?.length ?? 0) + (this.#heap?.size() ?? 0);
  }

  override get isIdle(): boolean {
    return this.waiting === 0 && this.size === 0;
  }

  push(item: V): void {
    if (this.inRing === this.ring.length) this.#resize(2 * this.inRing);
    this.ring[this.#at(this.inRing)] = item;
    this.inRing++;
  }

  /** Adds one that was taken, or is to be taken as if it had been. */
  putBack(taken: TakenItem<V>): void {
    this.#stack ??= [];
    const top = this.#stack.at(-1);
    if (top === undefined || taken.turn < top.turn) {
      this.#stack.push(taken);
      return;
    }
    this.#heap ??= new PriorityQueue<TakenItem<V>>(byTurn);
    this.#heap.enqueue(taken);
  }

  /** Takes off the first of those that came back, if there is one: it comes before `shift`. */
  shiftBack(): TakenItem<V> | undefined {
    const top = this.#stack?.at(-1);
    const first = this.#heap?.front();
    if (first && (top === undefined || first.turn < top.turn)) return this.#heap?.dequeue() ?? undefined;
    return this.#stack?.pop();
  }

  /** Takes off the first of the others; there is one. */
  shift(): V {
    const ring = this.ring;
    const item = ring[this.#head] as V;
    ring[this.#head] = undefined;
    this.#head = this.#at(1);
    this.inRing--;
    if (ring.length > SHORT && 8 * this.inRing < ring.length) this.#resize(ring.length / 2);
    return item;
  }

  /** Takes off all that are kept, in their order. */
  takeAll(): V[] {
    const cameBack = this.#cameBack().map(({ item }) => item);
    const items = cameBack.concat(this.#inOrder());
    this.#stack = undefined;
    this.#heap = undefined;
    this.ring = [];
    this.#head = 0;
    this.inRing = 0;
    return items;
  }

  /** Takes off the first that is the same as `item`, as a Map compares them. True iff there is one. */
  remove(item: V): boolean {
    const isIt = (each: V): boolean => each === item || (Number.isNaN(each) && Number.isNaN(item));
    if (this.#removeBack(isIt)) return true;
    const index = this.#inOrder().findIndex(isIt);
    if (index < 0) return false;
    for (let i = index; i > 0; i--) this.ring[this.#at(i)] = this.ring[this.#at(i - 1)];
    this.shift();
    return true;
  }

  #removeBack(isIt: (item: V) => boolean): boolean {
    const first = this.#cameBack().find(({ item }) => isIt(item));
    if (first === undefined) return false;
    const index = this.#stack?.indexOf(first) ?? -1;
    if (index >= 0) this.#stack?.splice(index, 1);
    else this.#heap?.remove((each) => each === first);
    return true;
  }

  /** All that came back and are kept, in order. */
  #cameBack(): TakenItem<V>[] {
    return [...(this.#stack ?? []), ...(this.#heap?.toArray() ?? [])].sort(byTurn);
  }

  /** Where in the ring the item `i` behind the first is. */
  #at(i: number): number {
    return (this.#head + i) & (this.ring.length - 1);
  }

  /** The items in the ring. */
  #inOrder(): V[] {
    return Array.from({ length: this.inRing }, (_, i) => this.ring[this.#at(i)] as V);
  }

  #resize(length: number): void {
    const items: (V | undefined)[] = this.#inOrder();
    const room = Math.max(length, 2);
    while (items.length < room) items.push(undefined);
    this.ring = items;
    this.#head = 0;
  }
}
