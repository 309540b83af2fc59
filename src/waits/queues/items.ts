// The items of each key, and their hand-over to those who wait.
//
// Invariants. A line has items while somebody waits on it only if it is owed (HandOvers). `size` is
// the number of all items, and `keys` that of the lines with items.
import { requiredArray } from '../../base/checks.ts';
import { invalidArgValue } from '../../base/node-errors.ts';
import { keyText } from '../../base/text.ts';
import { HandOvers } from '../lines/hand-overs.ts';
import { ItemLine, type TakenItem } from './item-line.ts';
import { TakenMark } from './taken-mark.ts';
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
  /** How many were taken, those that came back each time. It gives the turns, too. */
  taken = 0;
  /** Before all others: of items that are put to the front. */
  #firstTurn = 0;

  override newLine(key: K): ItemLine<K, V> {
    return new ItemLine(key);
  }

  /** Adds an item without handing it over: `serveOrRest` follows. */
  add(line: ItemLine<K, V>, item: V): void {
    line.push(item);
    this.#count(line, 1);
  }

  /** As `add`, in the place of `turn`, or before all others. */
  addBack(line: ItemLine<K, V>, item: V, turn: number = --this.#firstTurn): void {
    line.putBack({ item, turn });
    this.#count(line, 1);
  }

  /**
   * Adds what was taken, in its place, and returns its line: `serveOrRest` follows.
   * @throws TypeError ERR_INVALID_ARG_VALUE for what was not taken here, has come back, or has another
   *   key by now, or another number of items.
   */
  addTaken(taken: Taken<V, K> | TakenMany<V, K>): ItemLine<K, V> {
    const mark = TakenMark.read(taken, this);
    if (mark === undefined) {
      const rule = 'must be what take, takeMany or tryTake of these Queues gave, and be put back once';
      throw invalidArgValue('taken', rule, taken);
    }
    const key = mark.key as K;
    if (!Object.is(taken.key, key) && taken.key !== key) {
      throw invalidArgValue('taken.key', `must be the key it was taken of, ${keyText(key)}`, taken.key);
    }
    const items = 'values' in taken ? [...requiredArray('taken.values', taken.values)] : [taken.value];
    if (items.length !== mark.turns.length) {
      const rule = `must be the ${mark.turns.length} that were taken together`;
      throw invalidArgValue('taken.values', rule, items);
    }
    const line = this.lists.lineOf(key);
    TakenMark.remove(taken);
    for (const [i, item] of items.entries()) this.addBack(line, item, mark.turns[i]);
    return line;
  }

  /** `more` items were added to `line`, or fewer are there. */
  #count(line: ItemLine<K, V>, more: number): void {
    this.size += more;
    if (line.size === 0) this.keys--;
    else if (line.size === more) this.keys++;
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
    const { item: value, turn } = this.#shift(line);
    if (line.isIdle) this.lists.rest(line);
    return TakenMark.add({ expired: false, key: line.key, value }, this, turn);
  }

  takeSome(line: ItemLine<K, V>, max: number): TakenMany<V, K> {
    const taken: TakenItem<V>[] = [];
    while (line.size > 0 && taken.length < max) taken.push(this.#shift(line));
    if (line.isIdle) this.lists.rest(line);
    const values = taken.map(({ item }) => item);
    const turns = taken.map(({ turn }) => turn);
    return TakenMark.add({ expired: false, key: line.key, values }, this, turns);
  }

  #shift(line: ItemLine<K, V>): TakenItem<V> {
    const turn = ++this.taken;
    const first = line.shiftBack() ?? { item: line.shift(), turn };
    this.#count(line, -1);
    return first;
  }

  /** Takes an item out, for nobody. True iff it was there. */
  remove(line: ItemLine<K, V>, item: V): boolean {
    if (!line.remove(item)) return false;
    this.#count(line, -1);
    if (line.isIdle) this.lists.rest(line);
    return true;
  }

  /** Takes all items of `line` out, for nobody. */
  clear(line: ItemLine<K, V>): V[] {
    const items = line.takeAll();
    if (items.length > 0) this.#count(line, -items.length);
    if (line.isIdle) this.lists.rest(line);
    return items;
  }

  override canGive(line: ItemLine<K, V>): boolean {
    return line.waiting > 0 && line.size > 0;
  }

  protected override give(line: ItemLine<K, V>): void {
    const taker = this.lists.firstOf(line) as Taker;
    taker.give(taker.max === undefined ? this.takeOne(line) : this.takeSome(line, taker.max));
  }
}
