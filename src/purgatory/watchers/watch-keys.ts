// The keys that somebody watches, and the head of each: what it leads to (lone-watcher.ts).
//
// Ground rules. It belongs to one Watchers and knows no operation. A key has an id from `add` to
// `remove`: a small integer, which is used again later. Only `renumber` changes the id of a key.
// The Map holds the id and not the head: when a slab is compacted, the heads of all keys change,
// and no key has to be looked up.
//
// Costs. find, add, remove: one look-up in the Map. key, head, setHead: O(1). Memory: 16 bytes for
// each id, beside the Map. `renumber` looks each key up, so it waits until under a sixteenth of the
// ids is in use: an id is small beside what a parked operation takes.
import { mustHold } from '../../base/must-hold.ts';
import type { Head } from './lone-watcher.ts';

/** No id. */
const NONE = -1;
const MIN_IDS = 64;
const MAX_IDS_PER_KEY = 16;

export class WatchKeys<K> {
  readonly #ids = new Map<K, number>();
  #keys: (K | undefined)[] = [];
  /** By id; of a free id, the next free one. */
  #heads: number[] = [];
  #freed = NONE;
  /** Where the next sample begins, in the ids. */
  #sampled = 0;
  /** Kept so that the compiler does not take the reading for useless. */
  #ahead = 0;

  get size(): number {
    return this.#ids.size;
  }

  /** The id of `key`; undefined when nobody watches it. */
  find(key: K): number | undefined {
    return this.#ids.get(key);
  }

  /**
   * Adds a key that is not there. Returns its id. @throws RangeError from 2^24 keys on, as a Map
   * does; nothing has changed then.
   */
  add(key: K, head: Head): number {
    const freed = this.#freed;
    const id = freed === NONE ? this.#keys.length : freed;
    this.#ids.set(key, id);
    if (id === freed) this.#freed = this.#heads[id];
    this.#keys[id] = key;
    this.#heads[id] = head;
    return id;
  }

  remove(id: number): void {
    this.#ids.delete(this.#keys[id] as K);
    this.#keys[id] = undefined;
    this.#heads[id] = this.#freed;
    this.#freed = id;
  }

  /**
   * Reads the memory that `remove` needs when the watcher of the key completes. With very many
   * keys, that memory is far away. Read here, it is fetched at the same time as the operation.
   * (`npm run bench -- string-keys`)
   */
  readAhead(id: number): void {
    this.#ahead = this.#keys[id] === undefined ? 0 : 1;
  }

  key(id: number): K {
    return this.#keys[id] as K;
  }

  head(id: number): Head {
    return this.#heads[id] as Head;
  }

  setHead(id: number, head: Head): void {
    this.#heads[id] = head;
  }

  /** All keys, those too that come before the iterator ends. */
  all(): IterableIterator<K> {
    return this.#ids.keys();
  }

  /** Calls `visit` with the id and the head of each key. O(keys). */
  forEach(visit: (id: number, head: Head) => void): void {
    for (const id of this.#ids.values()) visit(id, this.head(id));
  }

  /** The keys among the next `max` ids. O(max). */
  sample(max: number): K[] {
    const keys: K[] = [];
    const length = this.#keys.length;
    const start = this.#sampled;
    for (let i = 0; i < length && i < max; i++) {
      const id = (start + i) % length;
      const key = this.#keys[id] as K; // undefined in a free id, and may be a key
      if (this.#ids.get(key) === id) keys.push(key);
      this.#sampled = id + 1;
    }
    return keys;
  }

  /** True when few ids are in use, and the owner had better {@link renumber}. */
  get isSparse(): boolean {
    return this.#keys.length > MAX_IDS_PER_KEY * this.#ids.size + MIN_IDS;
  }

  /**
   * Gives ids anew, without gaps, and the memory of the gaps back. Calls `tell` with each new id
   * and its head. O(keys).
   */
  renumber(tell: (id: number, head: Head) => void): void {
    const keys: K[] = [];
    const heads: number[] = [];
    for (const [key, id] of this.#ids) {
      const head = this.head(id);
      this.#ids.set(key, keys.length);
      tell(keys.length, head);
      keys.push(key);
      heads.push(head);
    }
    this.#keys = keys;
    this.#heads = heads;
    this.#freed = NONE;
  }

  /** Throws unless ids and keys agree. For tests: O(ids). */
  check(): void {
    mustHold(this.#ahead <= 1, 'what was read ahead is neither there nor not there');
    for (const id of this.#ids.values()) {
      mustHold(this.#ids.get(this.#keys[id] as K) === id, `id ${id} does not know its key`);
    }
    let free = 0;
    for (let id = this.#freed; id !== NONE; id = this.#heads[id]) {
      mustHold(this.#keys[id] === undefined, `the free id ${id} keeps a key`);
      mustHold(++free <= this.#keys.length, 'the free ids go round in a circle');
    }
    mustHold(this.#ids.size + free === this.#keys.length, 'an id is neither free nor in use');
  }
}
