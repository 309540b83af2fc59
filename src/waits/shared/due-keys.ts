// The keys that wait for a load to begin, in the batches in which they will be loaded.
//
// Invariants. A key is in one batch at most, and knows it. A batch has 1 to `loadBatch` keys. The
// batches are loaded in the order in which they were begun. Keys whose last load failed share no
// batch with others: they would fail them, too. A key whose last load timed out is alone in its batch,
// also when it comes back after nobody waited for it; such batches take turns with all others.
//
// Costs. O(1) a key, and the names of the last MOST_HANGING keys that timed out.
import type { Division } from './division.ts';
import type { Load } from './load.ts';
import type { WatchedKey } from './watched-key.ts';

const MOST_HANGING = 1_000;

/** Keys that will be loaded together. */
export interface DueBatch<V> {
  readonly keys: Set<WatchedKey>;
  /** The division that it is a part of. */
  readonly division: Division<Load<V>> | undefined;
  /** Its key timed out. */
  readonly isApart: boolean;
}

export class DueKeys<V> {
  readonly #loadBatch: number;
  readonly #batches = new Set<DueBatch<V>>();
  /** Those of keys that timed out. */
  readonly #apart = new Set<DueBatch<V>>();
  /** Keys whose last load timed out. */
  readonly #hanging = new Set<string>();
  #wasApart = false;
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
    if (this.#hanging.has(key.key)) {
      this.#put(key, this.#begin(undefined, true));
      return;
    }
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
    this.#batchesOf(batch).delete(batch);
    batch.division?.ended();
  }

  /** The last load of these keys has timed out. */
  timedOut(keys: Iterable<string>): void {
    for (const key of keys) {
      this.#hanging.delete(key);
      this.#hanging.add(key);
      const [oldest] = this.#hanging;
      if (this.#hanging.size > MOST_HANGING) this.#hanging.delete(oldest);
    }
  }

  /** The last load of these keys has ended in time. */
  ended(keys: Iterable<string>): void {
    if (this.#hanging.size > 0) for (const key of keys) this.#hanging.delete(key);
  }

  /** Takes out the next batch, if there is one. @param withApart also one of a key that timed out. */
  next(withApart: boolean): DueBatch<V> | undefined {
    const [other] = this.#batches;
    const [apart] = withApart && !(this.#wasApart && other !== undefined) ? this.#apart : [];
    const batch = apart ?? other;
    if (batch === undefined) return undefined;
    this.#wasApart = batch.isApart;
    this.#batchesOf(batch).delete(batch);
    const keys = new Set(batch.keys);
    for (const key of keys) this.#take(key, batch);
    return { ...batch, keys };
  }

  clear(): void {
    for (const batches of [this.#batches, this.#apart]) {
      for (const { keys } of batches) for (const key of keys) key.due = undefined;
      batches.clear();
    }
    this.#size = 0;
  }

  #batchesOf({ isApart }: DueBatch<V>): Set<DueBatch<V>> {
    return isApart ? this.#apart : this.#batches;
  }

  #begin(division: Division<Load<V>> | undefined, isApart = false): DueBatch<V> {
    const batch: DueBatch<V> = { keys: new Set(), division, isApart };
    this.#batchesOf(batch).add(batch);
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
