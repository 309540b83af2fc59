// The keys that wait for a load to begin, in the batches in which they will be loaded.
//
// Invariants. A key is in one batch at most, and knows it. A batch has 1 to `loadBatch` keys. The
// batches are loaded in the order in which they were begun. Keys whose last load failed share no
// batch with others: they would fail them, too. A key whose last load timed out is alone in its batch,
// also when it comes back after nobody waited for it; such batches take turns with all others. Of
// those, keys that timed out in company come first: most of them are good.
//
// Costs. O(1) a key, and the names of the last MOST_HANGING keys that timed out.
import type { Division } from './division.ts';
import type { DueBatch, Load, WatchedKey } from './load.ts';

const MOST_HANGING = 1_000;

type Kind = DueBatch['kind'];

export class DueKeys {
  readonly #loadBatch: number;
  readonly #batches: Readonly<Record<Kind, Set<DueBatch>>> = {
    shared: new Set(),
    suspect: new Set(),
    hanging: new Set(),
  };
  /** Keys whose last load timed out. */
  readonly #timedOut = new Map<string, Exclude<Kind, 'shared'>>();
  #wasApart = false;
  /** The batches that take further keys. */
  readonly #open: Partial<Record<'fresh' | 'failed', DueBatch>> = {};
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
    const apart = this.#timedOut.get(key.key);
    if (apart !== undefined) {
      this.#put(key, this.#begin(undefined, apart));
      return;
    }
    const kind = key.failures === 0 ? 'fresh' : 'failed';
    let batch = this.#open[kind];
    if (batch === undefined || !this.#batches.shared.has(batch) || batch.keys.size === this.#loadBatch) {
      batch = this.#begin(undefined);
      this.#open[kind] = batch;
    }
    this.#put(key, batch);
  }

  /** Adds a part of a division. None of its keys is here. */
  addPart(keys: readonly WatchedKey[], division: Division<Load>): void {
    const batch = this.#begin(division);
    for (const key of keys) this.#put(key, batch);
  }

  delete(key: WatchedKey): void {
    const batch = key.due;
    if (batch === undefined) return;
    this.#take(key, batch);
    if (batch.keys.size > 0) return;
    this.#batches[batch.kind].delete(batch);
    batch.division?.ended();
  }

  /** The last load of these keys has timed out. */
  timedOut(keys: readonly string[]): void {
    for (const key of keys) {
      this.#timedOut.delete(key);
      this.#timedOut.set(key, keys.length > 1 ? 'suspect' : 'hanging');
      const [oldest] = this.#timedOut.keys();
      if (this.#timedOut.size > MOST_HANGING) this.#timedOut.delete(oldest);
    }
  }

  /** The last load of these keys has ended in time. */
  ended(keys: Iterable<string>): void {
    if (this.#timedOut.size > 0) for (const key of keys) this.#timedOut.delete(key);
  }

  /** Takes out the next batch, if there is one. @param withApart also one of a key that timed out. */
  next(withApart: boolean): DueBatch | undefined {
    const [other] = this.#batches.shared;
    const [suspect] = this.#batches.suspect;
    const [hanging] = this.#batches.hanging;
    const isTurnOfOther = !withApart || (this.#wasApart && other !== undefined);
    const batch = isTurnOfOther ? other : (suspect ?? hanging ?? other);
    if (batch === undefined) return undefined;
    this.#wasApart = batch.kind !== 'shared';
    this.#batches[batch.kind].delete(batch);
    const keys = new Set(batch.keys);
    for (const key of keys) this.#take(key, batch);
    return { ...batch, keys };
  }

  clear(): void {
    for (const batches of Object.values(this.#batches)) {
      for (const { keys } of batches) for (const key of keys) key.due = undefined;
      batches.clear();
    }
    this.#size = 0;
  }

  #begin(division: Division<Load> | undefined, kind: Kind = 'shared'): DueBatch {
    const batch: DueBatch = { keys: new Set(), division, kind };
    this.#batches[kind].add(batch);
    return batch;
  }

  #put(key: WatchedKey, batch: DueBatch): void {
    batch.keys.add(key);
    key.due = batch;
    this.#size++;
  }

  #take(key: WatchedKey, batch: DueBatch): void {
    batch.keys.delete(key);
    key.due = undefined;
    this.#size--;
  }
}
