// Queues as plain lists: the items of each key.
import { NaiveLines, type NaiveWait } from './naive-lines.ts';

export class NaiveQueues extends NaiveLines {
  readonly #maxItems: number;
  readonly items = new Map<string, number[]>();
  /** In which order the items of a key are to be, by item. */
  readonly #order = new Map<number, number>();
  #last = 0;
  #first = 0;

  constructor(maxItems: number, maxParked: number) {
    super(maxParked, 'expired');
    this.#maxItems = maxItems;
  }

  itemsOf(key: string): number[] {
    return this.items.get(key) ?? [];
  }

  get size(): number {
    return [...this.items.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** True iff all of them were put. */
  put(key: string, items: readonly number[]): boolean {
    if (this.isClosed) return false;
    const isOwed = this.itemsOf(key).length > 0;
    const wanted = isOwed
      ? 0
      : this.waitsOn(key)
          .slice(0, items.length)
          .reduce((sum, { count }) => sum + count, 0);
    const kept = items.length - wanted;
    if (kept > 0 && this.size + kept > this.#maxItems) return false;
    for (const item of items) this.#order.set(item, ++this.#last);
    this.items.set(key, [...this.itemsOf(key), ...items]);
    this.freed(key);
    return true;
  }

  putBack(key: string, item: number): void {
    this.#order.set(item, --this.#first);
    this.giveBack(key, [item]);
  }

  /** Puts back what was taken. */
  giveBack(key: string, items: readonly number[]): void {
    const orderOf = (item: number): number => this.#order.get(item) as number;
    this.items.set(
      key,
      [...this.itemsOf(key), ...items].sort((x, y) => orderOf(x) - orderOf(y)),
    );
    this.freed(key);
  }

  remove(key: string, item: number): boolean {
    const isThere = this.itemsOf(key).includes(item);
    this.items.set(
      key,
      this.itemsOf(key).filter((each) => each !== item),
    );
    return isThere;
  }

  clear(key: string): number[] {
    const items = this.itemsOf(key);
    this.items.delete(key);
    return items;
  }

  take(id: number, keys: readonly string[], count: number, timeoutMs: number): void {
    if (this.isClosed) {
      this.ends.set(id, 'ERR_PURGATORY_CLOSED');
      return;
    }
    const taken = this.tryTake(keys, count);
    if (taken !== undefined) this.ends.set(id, taken);
    else this.park({ id, keys, count, deadlineMs: this.nowMs + timeoutMs });
  }

  tryTake(keys: readonly string[], count: number): string | undefined {
    const key = keys.find((each) => this.itemsOf(each).length > 0 && this.waitsOn(each).length === 0);
    return key === undefined ? undefined : this.#shift(key, count);
  }

  protected override suffices(key: string): boolean {
    return this.itemsOf(key).length > 0;
  }

  protected override taken(key: string, { count }: NaiveWait): string {
    return this.#shift(key, count);
  }

  #shift(key: string, count: number): string {
    const items = this.itemsOf(key);
    this.items.set(key, items.slice(count));
    return `${key}: ${items.slice(0, count).join()}`;
  }
}
