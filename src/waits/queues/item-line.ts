// The items of a key, in their order, and those who wait for one.
//
// Invariants. Items that came back come before all others: they were taken before these. They are in
// a heap, by their turns; what was never taken is in a Fifo. An entry that is gone stays in the one or
// the other until it is come across, or until more are gone than are left.
//
// Costs. push, shift, drop: O(1), amortised; with items that came back O(log of those). leave, arrive:
// O(1). remove: O(1) for the first and the last.
import { PriorityQueue } from '@datastructures-js/priority-queue';
import { Fifo } from '../../turns/fifo.ts';
import { Line } from '../lines/line.ts';
import { Entry } from './entry.ts';

/** So many entries may be gone. */
const FEW = 16;

/** Infinity of what was never taken: it is behind the others, as it is. */
const turnOf = (each: unknown): number => (each instanceof Entry ? each.turn : Number.POSITIVE_INFINITY);
const inOrder = (x: unknown, y: unknown): number => turnOf(x) - turnOf(y) || 0;
/** Of those that were taken. */
const byTurn = (x: { readonly turn: number }, y: { readonly turn: number }): number => x.turn - y.turn;
const isGone = (each: unknown): boolean => each instanceof Entry && each.state === 'gone';

/** Whether `each` is the item, or its entry, as a Map compares them. */
function isOf(item: unknown, each: unknown): boolean {
  const own: unknown = each instanceof Entry ? each.item : each;
  return (own === item || (Number.isNaN(own) && Number.isNaN(item))) && !isGone(each);
}

export class ItemLine<K, V> extends Line<K> {
  /** Items that can be taken. */
  size: number = 0;
  /** @internal */
  fresh: Fifo<V | Entry<V, K>> = new Fifo();
  /** Undefined where none came back. @internal */
  back: PriorityQueue<Entry<V, K>> | undefined = undefined;
  /** Entries that are gone, and still here. */
  #gone = 0;
  /** Those that are out on lease, or come later, in no order. Undefined where none ever was. */
  #away: Set<Entry<V, K>> | undefined = undefined;
  /** Of the items that a snapshot has found at `seenMs`, those that are left, or fewer. */
  seen = 0;
  #seenMs = 0;

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
    this.fresh.push(item);
    this.size++;
  }

  /** Adds one in its place. */
  place(entry: Entry<V, K>): void {
    if (entry.turn === Number.POSITIVE_INFINITY) {
      this.push(entry);
      return;
    }
    this.back ??= new PriorityQueue<Entry<V, K>>(byTurn);
    this.back.enqueue(entry);
    this.size++;
  }

  /** Takes off the first; there is one. */
  shift(): V | Entry<V, K> {
    this.size--;
    if (this.#gone > 0) this.#skipGone();
    return this.back?.dequeue() ?? this.fresh.take();
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
    if (++this.#gone > this.size + FEW) this.#sweep();
  }

  /**
   * The entry of an item that is the same as `item`, or else true, if it was here and has none: then it
   * was taken out. The first, else the last, else the first that is found.
   */
  remove(item: V): Entry<V, K> | boolean {
    this.#skipGone();
    const fresh = this.fresh;
    const first = this.back?.front();
    if (first && isOf(item, first)) return first;
    const last = fresh.size - 1;
    const ends = last < 0 ? [] : first ? [last] : [0, last];
    const isAt = (i: number): boolean => isOf(item, fresh.at(i));
    const at = ends.find(isAt) ?? fresh.toArray().findIndex((each) => isOf(item, each));
    if (at < 0) {
      const others = [...(this.back?.toArray() ?? []), ...this.away()];
      return others.find((each) => each.state !== 'out' && isOf(item, each)) ?? false;
    }
    const found = fresh.at(at);
    if (found instanceof Entry) return found;
    fresh.remove(at);
    this.size--;
    return true;
  }

  /** All, in their order, with those that are away. O(items). */
  everything(): (V | Entry<V, K>)[] {
    return [...this.#kept(), ...this.away()].sort(inOrder);
  }

  /** Nothing is left to be taken. The caller has taken care of the entries. */
  empty(): void {
    this.size = 0;
    this.#gone = 0;
    this.back = undefined;
    this.fresh = new Fifo();
  }

  /** What can be taken, in its order. */
  #kept(): (V | Entry<V, K>)[] {
    const all = [...(this.back?.toArray() ?? []), ...this.fresh.toArray()];
    return all.filter((each) => !isGone(each));
  }

  /** Takes off what is gone, of those that came back, and at the two ends of the others. */
  #skipGone(): void {
    if (this.#gone === 0) return;
    const fresh = this.fresh;
    for (; isGone(this.back?.front()); this.#gone--) this.back?.dequeue();
    for (; isGone(fresh.first); this.#gone--) fresh.take();
    for (; isGone(fresh.at(fresh.size - 1)); this.#gone--) fresh.remove(fresh.size - 1);
  }

  /** Takes off all that is gone. */
  #sweep(): void {
    const kept = this.#kept();
    this.empty();
    for (const each of kept) {
      if (each instanceof Entry) this.place(each);
      else this.push(each);
    }
  }
}
