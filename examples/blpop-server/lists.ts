// The lists by key. A list that becomes empty is dropped, as in Redis.

/** The end of a list: LPUSH and LPOP work on the left, RPUSH and RPOP on the right. */
export type End = 'left' | 'right';

export class Lists {
  readonly #lists = new Map<string, List>();

  /** 0 for a list that is not there. */
  sizeOf(key: string): number {
    return this.#lists.get(key)?.size ?? 0;
  }

  push(key: string, end: End, item: string): void {
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = new List();
      this.#lists.set(key, list);
    }
    list.push(end, item);
  }

  pop(key: string, end: End): string | undefined {
    const list = this.#lists.get(key);
    const item = list?.pop(end);
    if (list?.size === 0) this.#lists.delete(key);
    return item;
  }

  /** From `first` to `last`; -1 is the last item, as in LRANGE. */
  range(key: string, first: number, last: number): string[] {
    return this.#lists.get(key)?.range(first, last) ?? [];
  }

  delete(key: string): boolean {
    return this.#lists.delete(key);
  }
}

/** Items by their position, which may be below 0: each end takes O(1), and gives memory back. */
class List {
  readonly #items = new Map<number, string>();
  #from = 0;

  get size(): number {
    return this.#items.size;
  }

  push(end: End, item: string): void {
    if (end === 'left') this.#items.set(--this.#from, item);
    else this.#items.set(this.#from + this.size, item);
  }

  pop(end: End): string | undefined {
    const at = end === 'left' ? this.#from++ : this.#from + this.size - 1;
    const item = this.#items.get(at);
    this.#items.delete(at);
    return item;
  }

  range(first: number, last: number): string[] {
    const { size } = this;
    const begin = Math.max(first < 0 ? first + size : first, 0);
    const end = Math.min(last < 0 ? last + size : last, size - 1);
    const items: string[] = [];
    for (let index = begin; index <= end; index++) items.push(this.#items.get(this.#from + index) as string);
    return items;
  }
}
