// The last value of each key, and the thresholds above it that operations wait for.
//
// Invariants. It owns the heaps and the parked operations, runs no user code and knows no timer. A
// key has a level exactly while it has a value or an operation waits on it. With `keepsAll` false, a
// value goes with the last operation that waits on its key. A parked operation has a mark in the
// heap of each key that it still waits on, and knows its marks, so it is taken off all heaps without
// a search. A threshold that was reached stays reached for the operation.
//
// Costs. park, remove: O(keys x log waiting on each). takeReached: O(log waiting) for each threshold
// that it takes, and O(1) when there is none.

import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { type CountedKey, ParkedLists, STAMP } from '../../purgatory/parked-lists.ts';
import { firstOf } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import { indexOf, NONE, Slab } from '../../slab/slab.ts';
import { IndexedHeap, type Mark, NOT_IN_HEAP } from '../indexed-heap.ts';

/** A threshold, or the value of a key. */
export type ThresholdValue = number | bigint;

/** A key, and the value that it must reach. */
export type Threshold<K, V extends ThresholdValue> = readonly [key: K, threshold: V];

/** The era of a value that fell: none. */
export const IN_DOUBT = -1;

/** A key that has a value, or that an operation waits on. */
export interface Level<K, V extends ThresholdValue> {
  readonly key: K;
  value: V | undefined;
  /** The era in which the value was last known to be true, or IN_DOUBT. */
  era: number;
  /** It owns the order of its marks. */
  readonly heap: IndexedHeap<WaitingMark<K, V>>;
}

/**
 * A threshold of a parked operation. Nearly all operations have one threshold, so no object but the
 * first mark stands for them.
 */
export interface WaitingMark<K, V extends ThresholdValue> extends Mark {
  readonly rank: V;
  readonly level: Level<K, V>;
  readonly operation: DelayedOperation;
  /** The first mark of the operation; undefined: this is it. */
  readonly first: WaitingMark<K, V> | undefined;
  /** The next mark of the operation. */
  sibling: WaitingMark<K, V> | undefined;
  /** How many marks of the operation are in a heap. Belongs to the first of them. */
  waiting: number;
}

/** Keys that a snapshot looks at: a fraction of a millisecond. */
const MAX_LEVELS = 16_384;
/** How many marks of a key are searched for the oldest. */
const MAX_MARKS = 1_024;

export class Thresholds<K, V extends ThresholdValue> extends ParkedLists<Threshold<K, V>> {
  /** @internal */
  readonly levels: Map<K, Level<K, V>> = new Map();
  /** The first mark of each operation, by the index of its place. */
  #marks: (WaitingMark<K, V> | undefined)[] = [];
  #era = 0;
  #order = 0;
  #pairs = 0;
  #keys = 0;
  #values = 0;
  /** @internal */
  readonly keepsAll: boolean;

  constructor(keepsAll = true) {
    super();
    this.keepsAll = keepsAll;
  }

  /** Keys that have a value. */
  get values(): number {
    return this.#values;
  }

  /** How many thresholds operations wait for. */
  override get pairs(): number {
    return this.#pairs;
  }

  override get keys(): number {
    return this.#keys;
  }

  valueAt(key: K): V | undefined {
    return this.levels.get(key)?.value;
  }

  /** A value in doubt stays in doubt: another than the last writer may have been overtaken. */
  setValue(key: K, value: V): void {
    const level = this.#levelOf(key);
    if (level.value === undefined) {
      level.era = this.#era;
      this.#values++;
    }
    level.value = value;
  }

  /** To be called when all that `setValue` has reached has been taken. */
  endAdvance(key: K): void {
    const level = this.levels.get(key);
    if (level !== undefined) this.#dropIfIdle(level);
  }

  /** Whether the value of `key` is known, and not in doubt. */
  isSure(key: K): boolean {
    const level = this.levels.get(key);
    return level?.value !== undefined && level.era === this.#era;
  }

  /** The value of `key` was true in `era`, or is IN_DOUBT. */
  confirm(key: K, era: number): void {
    const level = this.levels.get(key);
    if (level !== undefined) level.era = era;
  }

  /** Values may have been missed: a new era begins, and those of eras before are in doubt. */
  doubtAll(): void {
    this.#era++;
  }

  get era(): number {
    return this.#era;
  }

  /** True iff the key had a value. */
  forgetValue(key: K): boolean {
    const level = this.levels.get(key);
    if (level?.value === undefined) return false;
    this.#forget(level);
    this.#dropIfIdle(level);
    return true;
  }

  forgetValues(): void {
    for (const level of this.levels.values()) {
      this.#forget(level);
      this.#dropIfIdle(level);
    }
  }

  isReached([key, threshold]: Threshold<K, V>): boolean {
    const value = this.valueAt(key);
    return value !== undefined && value >= threshold;
  }

  override watchersOf(key: K): number {
    return this.levels.get(key)?.heap.size ?? 0;
  }

  /** Parks `operation` on those of `thresholds` that are not reached. */
  override park(operation: DelayedOperation, thresholds: readonly Threshold<K, V>[], stamp: number): void {
    const order = this.#order++;
    const index = indexOf(this.add(operation, stamp));
    let first: WaitingMark<K, V> | undefined;
    let last: WaitingMark<K, V> | undefined;
    for (const [key, threshold] of thresholds) {
      const level = this.#levelOf(key);
      const mark: WaitingMark<K, V> = {
        rank: threshold,
        order,
        index: NOT_IN_HEAP,
        level,
        operation,
        first,
        sibling: undefined,
        waiting: 0,
      };
      if (last === undefined) this.#setMark(index, mark);
      else last.sibling = mark;
      first ??= mark;
      last = mark;
      if (level.value === undefined || !(level.value >= threshold)) this.#put(mark);
    }
  }

  #put(mark: WaitingMark<K, V>): void {
    const { level } = mark;
    const isFirst = level.heap.size === 0;
    if (isFirst) this.interest?.watched(level.key as string);
    level.heap.push(mark);
    if (isFirst) this.#keys++;
    (mark.first ?? mark).waiting++;
    this.#pairs++;
  }

  override remove(operation: DelayedOperation): number | undefined {
    const place = this.placeOf(operation);
    if (place === NONE) return undefined;
    const stamp = this.operations.cells[place + STAMP];
    this.operations.remove(place);
    let mark = this.#marks[indexOf(place)];
    this.#marks[indexOf(place)] = undefined;
    for (; mark !== undefined; mark = mark.sibling) {
      if (mark.index === NOT_IN_HEAP) continue;
      this.#take(mark);
      this.#dropIfIdle(mark.level);
    }
    return stamp;
  }

  #setMark(index: number, mark: WaitingMark<K, V>): void {
    const marks = this.#marks;
    while (marks.length < index) marks.push(undefined);
    marks[index] = mark;
  }

  /** Maps and heaps give memory back by themselves. */
  override compact(): void {
    const operations = new Slab<DelayedOperation>(this.size);
    const before = this.#marks;
    this.#marks = [];
    this.moveTo(operations, (a, from, to) => {
      this.#setMark(indexOf(to), before[indexOf(from)] as WaitingMark<K, V>);
      return a;
    });
  }

  /**
   * Takes the thresholds that the value of `key` has reached, up to the first operation that has
   * none left. Returns that operation, which stays parked.
   */
  takeReached(key: K): DelayedOperation | undefined {
    const level = this.levels.get(key);
    if (level?.value === undefined) return undefined;
    for (let mark = level.heap.lowest; mark !== undefined; mark = level.heap.lowest) {
      if (!(mark.rank <= level.value)) return undefined;
      this.#take(mark);
      if ((mark.first ?? mark).waiting === 0) return mark.operation;
    }
    return undefined;
  }

  /** Those that wait on `key`, the lowest threshold first. */
  override allOf(key: K): DelayedOperation[] {
    const marks = this.levels.get(key)?.heap.inOrder() ?? [];
    return marks.map(({ operation }) => operation);
  }

  /** Among the first MAX_LEVELS keys. O(MAX_LEVELS). */
  override countedKeys(): CountedKey[] {
    return firstOf(this.levels.values(), MAX_LEVELS)
      .filter(({ heap }) => heap.size > 0)
      .map(({ key, heap }) => ({ key, watchers: heap.size }));
  }

  override keysOf(operation: DelayedOperation, max: number): K[] {
    const keys: K[] = [];
    let mark = this.#marks[indexOf(this.placeOf(operation))];
    for (; mark !== undefined && keys.length < max; mark = mark.sibling) {
      if (mark.index !== NOT_IN_HEAP) keys.push(mark.level.key);
    }
    return keys;
  }

  override operationsOf(key: K, max: number): DelayedOperation[] {
    const marks = this.levels.get(key)?.heap.some(MAX_MARKS) ?? [];
    const oldest = marks.sort((x, y) => x.order - y.order).slice(0, max);
    return oldest.map(({ operation }) => operation);
  }

  override *allKeys(): IterableIterator<K> {
    for (const { key, heap } of this.levels.values()) if (heap.size > 0) yield key;
  }

  #levelOf(key: K): Level<K, V> {
    let level = this.levels.get(key);
    if (level === undefined) {
      level = { key, value: undefined, era: IN_DOUBT, heap: new IndexedHeap() };
      this.levels.set(key, level);
    }
    return level;
  }

  #take(mark: WaitingMark<K, V>): void {
    const { level } = mark;
    level.heap.remove(mark);
    (mark.first ?? mark).waiting--;
    this.#pairs--;
    if (level.heap.size > 0) return;
    this.#keys--;
    this.interest?.unwatched(level.key as string);
  }

  #dropIfIdle(level: Level<K, V>): void {
    if (level.heap.size > 0) return;
    if (!this.keepsAll) this.#forget(level);
    if (level.value === undefined) this.levels.delete(level.key);
  }

  #forget(level: Level<K, V>): void {
    if (level.value !== undefined) this.#values--;
    level.value = undefined;
  }
}
