// The items of each key, and their hand-over to those who wait.
//
// Invariants. A line has items while somebody waits on it only if it is owed (HandOvers). `size` is
// the number of all items, and `keys` that of the lines with items.
import { mustHold } from '../../base/must-hold.ts';
import { HandOvers } from '../lines/hand-overs.ts';
import { ItemLine } from './item-line.ts';
import type { Taker } from './taker.ts';

/** What {@link Queues.take} and {@link Queues.tryTake} give: an item. */
export interface Taken<V, K> {
  expired: false;
  key: K;
  value: V;
}

/** What {@link Queues.takeMany} gives: items of one key, one at least. */
export interface TakenMany<V, K> {
  expired: false;
  key: K;
  values: V[];
}

export class Items<V, K> extends HandOvers<K, ItemLine<K, V>> {
  size = 0;
  keys = 0;

  protected override newLine(key: K): ItemLine<K, V> {
    return new ItemLine(key);
  }

  /** Adds an item without handing it over: `serveOrRest` follows. */
  add(line: ItemLine<K, V>, item: V): void {
    line.push(item);
    this.#didAdd(line);
  }

  addFront(line: ItemLine<K, V>, item: V): void {
    line.pushFront(item);
    this.#didAdd(line);
  }

  #didAdd(line: ItemLine<K, V>): void {
    this.size++;
    if (line.size === 1) this.keys++;
  }

  /** To be called after items were added. Hands over to those who wait. */
  serveOrRest(line: ItemLine<K, V>): void {
    if (line.waiting > 0)
      this.serve(line); // the last one removed has the line rest
    else if (line.isIdle) this.lists.rest(line);
  }

  /** How many items those who wait on `line` would take of `most` new ones. O(most). */
  wanted(line: ItemLine<K, V>, most: number): number {
    if (line.size > 0 || line.waiting === 0) return 0;
    const takers = this.lists.operationsOf(line.key, most) as Taker[];
    return takers.reduce((sum, { max = 1 }) => sum + max, 0);
  }

  /** The first of `keys` on which an item is to be had now: nobody waits for it. */
  firstWithItems(keys: readonly K[]): ItemLine<K, V> | undefined {
    for (const key of keys) {
      const line = this.lists.known(key);
      if (line !== undefined && line.size > 0 && line.waiting === 0) return line;
    }
    return undefined;
  }

  takeOne(line: ItemLine<K, V>): Taken<V, K> {
    const taken: Taken<V, K> = { expired: false, key: line.key, value: this.#shift(line) };
    if (line.isIdle) this.lists.rest(line);
    return taken;
  }

  takeSome(line: ItemLine<K, V>, max: number): TakenMany<V, K> {
    const values: V[] = [];
    while (line.size > 0 && values.length < max) values.push(this.#shift(line));
    if (line.isIdle) this.lists.rest(line);
    return { expired: false, key: line.key, values };
  }

  #shift(line: ItemLine<K, V>): V {
    this.size--;
    if (line.size === 1) this.keys--;
    return line.shift();
  }

  protected override canGive(line: ItemLine<K, V>): boolean {
    return line.waiting > 0 && line.size > 0;
  }

  protected override give(line: ItemLine<K, V>): void {
    const taker = this.lists.firstOf(line) as Taker;
    taker.give(taker.max === undefined ? this.takeOne(line) : this.takeSome(line, taker.max));
  }

  override check(): void {
    super.check();
    let size = 0;
    let keys = 0;
    for (const line of this.lists.lines()) {
      line.check();
      size += line.size;
      if (line.size > 0) keys++;
    }
    mustHold(size === this.size && keys === this.keys, `${size} items on ${keys} keys are miscounted`);
  }
}
