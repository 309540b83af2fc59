// The items of a key, in their order, and those who wait for one.
//
// Invariants. Items that came back come before all others: they were taken before these. They are in
// a heap, by their turns. What was never taken is in a ring: `inRing` elements from `#head` on, and
// all else is undefined. The length of the ring is a power of two, and at least an eighth of it is in
// use, or it is short. An entry that is gone stays in the one or the other until it is come across,
// or until more are gone than are left.
//
// Costs. push, shift, drop: O(1), amortised; with items that came back O(log of those). leave, arrive:
// O(1). find: O(1) for the first and the last.
import { PriorityQueue } from '@datastructures-js/priority-queue';
import { Line } from '../lines/line.ts';
import { Entry, type EntryOwner } from './entry.ts';

/** A ring that is not made smaller. So many entries may be gone. */
const SHORT = 16;

/** Infinity of what was never taken: it is behind the others, as it is. */
const turnOf = (each: unknown): number => (each instanceof Entry ? each.turn : Number.POSITIVE_INFINITY);
const inOrder = (x: unknown, y: unknown): number => turnOf(x) - turnOf(y) || 0;
/** Of those that were taken. */
const byTurn = (x: { readonly turn: number }, y: { readonly turn: number }): number => x.turn - y.turn;
const isSame = (x: unknown, y: unknown): boolean => x === y || (Number.isNaN(x) && Number.isNaN(y));

export class ItemLine<K, V> extends Line<K> {
  readonly owner: EntryOwner<V, K>;
  /** Items that can be taken. */
  size: number = 0;
  /** @internal Elements of the ring, with those that are gone. */
  inRing: number = 0;
  /** @internal */
  ring: (V | Entry<V, K> | undefined)[] = [];
  #head = 0;
  /** Undefined where none came back. */
  #heap: PriorityQueue<Entry<V, K>> | undefined = undefined;
  /** Entries that are gone, and still here. */
  #gone = 0;
  /** Those that are out on lease, or come later, in no order. Undefined where none ever was. */
  #away: Set<Entry<V, K>> | undefined = undefined;
  /** Of the items that a snapshot has found at `seenMs`, those that are left, or fewer. */
  seen = 0;
  #seenMs = 0;

  constructor(key: K, owner: EntryOwner<V, K>) {
    super(key);
    this.owner = owner;
  }

  override get isIdle(): boolean {
    return this.waiting === 0 && this.size === 0 && (this.#away === undefined || this.#away.size === 0);
  }

  /** How long its oldest item has been kept, at least: since a snapshot has found it. O(1). */
  keptMs(nowMs: number): number {
    if (this.seen === 0) this.#seenMs = nowMs;
    if (this.seen === 0) this.seen = this.size;
    return nowMs - this.#seenMs;
  }

  push(item: V | Entry<V, K>): void {
    if (this.inRing === this.ring.length) this.#resize(2 * this.inRing);
    this.ring[this.#at(this.inRing)] = item;
    this.inRing++;
    this.size++;
  }

  /** Adds one in its place: one that has a turn. */
  putBack(entry: Entry<V, K>): void {
    this.#heap ??= new PriorityQueue<Entry<V, K>>(byTurn);
    this.#heap.enqueue(entry);
    this.size++;
  }

  /** Takes off the first; there is one. */
  shift(): V | Entry<V, K> {
    this.size--;
    if (this.#heap !== undefined && this.#firstBack() !== undefined) {
      return this.#heap.dequeue() as Entry<V, K>;
    }
    if (this.#gone > 0) this.#skipGone();
    return this.#shiftRing();
  }

  /** `entry` goes out on lease, or is to come later. */
  leave(entry: Entry<V, K>): void {
    this.#away ??= new Set();
    this.#away.add(entry);
  }

  /** It is out no more, or no more to come later. */
  arrive(entry: Entry<V, K>): void {
    this.#away?.delete(entry);
  }

  /** A copy of those that are out on lease, or come later. O(those). */
  away(): Entry<V, K>[] {
    return [...(this.#away ?? [])];
  }

  /** An entry that was here is gone: its state says so. */
  drop(): void {
    this.size--;
    if (++this.#gone > this.size + SHORT) this.#sweep();
  }

  /**
   * The entry of an item that is the same as `item`, as a Map compares them: the first, else the last,
   * else the first that there is.
   */
  find(item: V): Entry<V, K> | undefined {
    const first = this.#firstBack();
    if (first !== undefined && isSame(first.item, item)) return first;
    this.#skipGone();
    const ends = first === undefined ? [0, this.inRing - 1] : [this.inRing - 1];
    for (const i of ends) if (this.#isAt(i, item)) return this.#entryAt(i);
    const back = this.#cameBack().find((each) => isSame(each.item, item));
    if (back !== undefined) return back;
    for (let i = 0; i < this.inRing; i++) if (this.#isAt(i, item)) return this.#entryAt(i);
    return this.away().find((each) => each.state === 'later' && isSame(each.item, item));
  }

  /** All, in their order, with those that are away. O(items). */
  everything(): (V | Entry<V, K>)[] {
    return [...this.#cameBack(), ...this.#inOrder(), ...this.away()].sort(inOrder);
  }

  /** Nothing is left to be taken. The caller has taken care of the entries. */
  empty(): void {
    this.size = 0;
    this.#gone = 0;
    this.#heap = undefined;
    this.ring = [];
    this.#head = 0;
    this.inRing = 0;
  }

  /** The first of those that came back and are kept. */
  #firstBack(): Entry<V, K> | undefined {
    const heap = this.#heap;
    if (heap === undefined) return undefined;
    for (; heap.front()?.state === 'gone'; this.#gone--) heap.dequeue();
    return heap.front() ?? undefined;
  }

  /** Takes what is gone off the two ends of the ring. */
  #skipGone(): void {
    if (this.#gone === 0) return;
    for (; this.inRing > 0 && this.#isGone(0); this.#gone--) this.#shiftRing();
    for (; this.inRing > 0 && this.#isGone(this.inRing - 1); this.#gone--) {
      this.inRing--;
      this.ring[this.#at(this.inRing)] = undefined;
    }
    this.#fit();
  }

  #shiftRing(): V | Entry<V, K> {
    const ring = this.ring;
    const item = ring[this.#head] as V | Entry<V, K>;
    ring[this.#head] = undefined;
    this.#head = this.#at(1);
    this.inRing--;
    if (ring.length > SHORT) this.#fit();
    return item;
  }

  /** Gives memory of the ring back. */
  #fit(): void {
    while (this.ring.length > SHORT && 8 * this.inRing < this.ring.length) this.#resize(this.ring.length / 2);
  }

  #isGone(i: number): boolean {
    const element = this.ring[this.#at(i)];
    return element instanceof Entry && element.state === 'gone';
  }

  #isAt(i: number, item: V): boolean {
    if (i < 0 || i >= this.inRing || this.#isGone(i)) return false;
    const element = this.ring[this.#at(i)];
    return isSame(element instanceof Entry ? element.item : element, item);
  }

  /** Makes an entry of the item that is there, if it is none. */
  #entryAt(i: number): Entry<V, K> {
    const at = this.#at(i);
    const element = this.ring[at] as V | Entry<V, K>;
    const entry = element instanceof Entry ? element : new Entry(this, element, Number.POSITIVE_INFINITY, 0);
    this.ring[at] = entry;
    return entry;
  }

  /** All that came back and are kept, in order. */
  #cameBack(): Entry<V, K>[] {
    const all = this.#heap?.toArray() ?? [];
    return all.filter(({ state }) => state !== 'gone').sort(byTurn);
  }

  /** Where in the ring the item `i` behind the first is. */
  #at(i: number): number {
    return (this.#head + i) & (this.ring.length - 1);
  }

  /** What can be taken of the ring. */
  #inOrder(): (V | Entry<V, K>)[] {
    const all = Array.from({ length: this.inRing }, (_, i) => this.ring[this.#at(i)] as V | Entry<V, K>);
    return this.#gone === 0 ? all : all.filter((each) => !(each instanceof Entry) || each.state !== 'gone');
  }

  /** Takes off all that is gone. */
  #sweep(): void {
    const back = this.#cameBack();
    const ring = this.#inOrder();
    this.empty();
    for (const entry of back) this.putBack(entry);
    for (const each of ring) this.push(each);
  }

  #resize(length: number): void {
    const { inRing } = this;
    this.ring = Array.from({ length: Math.max(length, 2) }, (_, i) =>
      i < inRing ? this.ring[this.#at(i)] : undefined,
    );
    this.#head = 0;
  }
}
