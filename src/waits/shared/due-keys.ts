// The keys that wait for a load to begin, in the batches in which they will be loaded.
//
// Invariants. A key is in one batch at most, and knows it. A batch has 1 to `loadBatch` keys. The
// batches are loaded in the order in which they were begun. A key whose last load failed shares no
// batch with others: it would fail them, too.
//
// Costs. O(1) a key.
import type { Division } from './division.ts';
import type { Load } from './load.ts';
import type { WatchedKey } from './watched-key.ts';

/** Keys that will be loaded together. */
export interface DueBatch<V> {
  readonly keys: Set<WatchedKey>;
  /** The division that it is a part of. */
  readonly division: Division<Load<V>> | undefined;
}

export class DueKeys<V> {
  readonly #loadBatch: number;
  readonly #batches = new Set<DueBatch<V>>();
  /** The batches that take further keys. */
  readonly #open: Record<'fresh' | 'failed', DueBatch<V> | undefined> = {
    fresh: undefined,
    failed: undefined,
  };
  #size = 0;

  constructor(loadBatch: number) {
    this.#loadBatch = loadBatch;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a key, unless it is here. */
  add(key: WatchedKey): void {
    if (key.due !== undefined) return;
    const kind = key.failures === 0 ? 'fresh' : 'failed';
    let batch = this.#open[kind];
    if (batch === undefined || !this.#batches.has(batch) || batch.keys.size === this.#loadBatch) {
      batch = this.#begin(undefined);
      this.#open[kind] = batch;
    }
    this.#put(key, batch);
  }

  /** Adds a part of a division. None of its keys is here. */
  addPart(keys: readonly WatchedKey[], division: Division<Load<V>>): void {
    const batch = this.#begin(division);
    for (const key of keys) this.#put(key, batch);
  }

  delete(key: WatchedKey): void {
    const batch = key.due as DueBatch<V> | undefined;
    if (batch === undefined) return;
    this.#take(key, batch);
    if (batch.keys.size > 0) return;
    this.#batches.delete(batch);
    batch.division?.ended();
  }

  /** Takes out the next batch. There is one: `size` is above 0. */
  next(): DueBatch<V> {
    const [batch] = this.#batches;
    this.#batches.delete(batch);
    const keys = new Set(batch.keys);
    for (const key of keys) this.#take(key, batch);
    return { keys, division: batch.division };
  }

  clear(): void {
    for (const { keys } of this.#batches) for (const key of keys) key.due = undefined;
    this.#batches.clear();
    this.#size = 0;
  }

  #begin(division: Division<Load<V>> | undefined): DueBatch<V> {
    const batch: DueBatch<V> = { keys: new Set(), division };
    this.#batches.add(batch);
    return batch;
  }

  #put(key: WatchedKey, batch: DueBatch<V>): void {
    batch.keys.add(key);
    key.due = batch;
    this.#size++;
  }

  #take(key: WatchedKey, batch: DueBatch<V>): void {
    batch.keys.delete(key);
    key.due = undefined;
    this.#size--;
  }
}
