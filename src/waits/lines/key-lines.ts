// The waits by key, first come first served: the lists behind a Semaphore and Queues.
//
// Invariants. A line that is not idle is known: it is filed in the Map, or it is the one that was
// asked for last. That one is kept also when it is idle, and filed only when another is asked for:
// a loop that takes and gives back never touches the Map. A wait has a cell in the ring of each of
// its lines, in the order in which the waits were parked. The cell has the place of its operation
// and the next cell of the same operation. A line knows its first slot, and no list is searched.
//
// Costs. park, remove: O(keys of the operation). lineOf: O(1).
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { type CountedKey, MAX_COPIED, OWN, ParkedLists, STAMP } from '../../purgatory/parked-lists.ts';
import { firstOf } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import { COLUMN_1, COLUMN_2, NONE, Slab, type Slot } from '../../slab/slab.ts';
import type { Line } from './line.ts';

/** The columns of a wait: the place of its operation, and the next wait of the same operation. */
const PLACE = COLUMN_1;
const SIBLING = COLUMN_2;
/** The column of an operation: its first wait. */
const FIRST_WAIT = OWN;

/** Lines that a snapshot looks at: a fraction of a millisecond. */
export const MAX_LINES = 16_384;

/** The owner of the lines. None of its methods runs user code. */
export interface LinesOwner<K, L> {
  /** The idle line of a key. */
  newLine(key: K): L;
  /** The first of a line was removed, and others wait. */
  firstRemoved(line: L): void;
  /** A line has left the Map. */
  forgotten(): void;
}

export class KeyLines<K, L extends Line<K>> extends ParkedLists<K> {
  /** @internal */
  waits: Slab<L> = new Slab<L>();
  readonly #lines = new Map<K, L>();
  readonly #owner: LinesOwner<K, L>;
  /** The line that was asked for last. */
  #last: L | undefined;
  #watchedKeys = 0;

  constructor(owner: LinesOwner<K, L>) {
    super();
    this.#owner = owner;
  }

  override get pairs(): number {
    return this.waits.inUse;
  }

  override get keys(): number {
    return this.#watchedKeys;
  }

  /** The line of `key`, which may be a new one: `rest` follows if it stays idle. */
  lineOf(key: K): L {
    const last = this.#last;
    return last !== undefined && last.key === key ? last : this.#find(key);
  }

  /** @throws RangeError from 2^24 keys on, as a Map does. */
  #find(key: K): L {
    const last = this.#last;
    if (last !== undefined && !last.isFiled && !last.isIdle) {
      this.#lines.set(last.key, last);
      last.isFiled = true;
    }
    const line = this.#lines.size === 0 ? undefined : this.#lines.get(key);
    this.#last = line ?? this.#owner.newLine(key);
    return this.#last;
  }

  /** The line of `key`, if it has one. */
  known(key: K): L | undefined {
    const last = this.#last;
    const isLast = last?.key === key || (Number.isNaN(key) && Number.isNaN(last?.key));
    return isLast && last !== undefined ? last : this.#lines.get(key);
  }

  /** Known lines: one of them may be idle. */
  *lines(): IterableIterator<L> {
    yield* this.#lines.values();
    if (this.#last?.isFiled === false) yield this.#last;
  }

  /** A line has become idle. */
  rest(line: L): void {
    if (!line.isFiled) return;
    line.isFiled = false;
    this.#lines.delete(line.key);
    this.#owner.forgotten();
  }

  /** The first that waits on a line on which somebody does. */
  firstOf(line: L): DelayedOperation {
    return this.#operationOf(line.firstSlot);
  }

  #operationOf(wait: Slot): DelayedOperation {
    return this.operations.value(this.waits.cells[wait + PLACE] as Slot) as DelayedOperation;
  }

  /** @param keys each once. */
  override park(operation: DelayedOperation, keys: readonly K[], stamp: number): void {
    const place = this.add(operation, stamp);
    let next = NONE;
    for (let i = keys.length - 1; i >= 0; i--) {
      next = this.#wait(this.lineOf(keys[i]), place, next);
      this.operations.cells[place + FIRST_WAIT] = next;
    }
  }

  #wait(line: L, place: Slot, next: Slot): Slot {
    const waits = this.waits;
    const { firstSlot } = line;
    const wait = firstSlot === NONE ? waits.makeList(place, next) : waits.push(firstSlot, place, next);
    waits.setValue(wait, line);
    if (firstSlot === NONE) line.firstSlot = wait;
    if (line.waiting++ === 0) this.#watchedKeys++;
    return wait;
  }

  override remove(operation: DelayedOperation): number | undefined {
    const { operations } = this;
    const place = operation.$place as Slot;
    if (operations.value(place) !== operation) return undefined;
    const stamp = operations.cells[place + STAMP];
    let wait = operations.cells[place + FIRST_WAIT] as Slot;
    operations.remove(place);
    while (wait !== NONE) wait = this.#unlink(wait);
    return stamp;
  }

  /** Returns the next cell of the same operation. */
  #unlink(wait: Slot): Slot {
    const waits = this.waits;
    const line = waits.value(wait) as L;
    const next = waits.cells[wait + SIBLING] as Slot;
    const isFirst = line.firstSlot === wait;
    line.waiting--;
    if (isFirst) line.firstSlot = line.waiting === 0 ? NONE : waits.next(wait);
    waits.remove(wait);
    if (line.waiting === 0) {
      this.#watchedKeys--;
      if (line.isIdle) this.rest(line);
    } else if (isFirst) this.#owner.firstRemoved(line);
    return next;
  }

  override operationsOf(key: K, max: number): DelayedOperation[] {
    const { firstSlot = NONE, waiting = 0 } = this.known(key) ?? {};
    const first: DelayedOperation[] = [];
    for (let wait = firstSlot; first.length < Math.min(max, waiting); wait = this.waits.next(wait))
      first.push(this.#operationOf(wait));
    return first;
  }

  /** The lines on which a parked operation waits, in the order in which its keys were given. */
  linesOf(operation: DelayedOperation): L[] {
    const place = this.placeOf(operation);
    return place === NONE ? [] : linesFrom(this.operations.cells[place + FIRST_WAIT], this.waits);
  }

  override keysOf(operation: DelayedOperation, max: number): K[] {
    return this.linesOf(operation)
      .slice(0, max)
      .map(({ key }) => key);
  }

  override watchersOf(key: K): number {
    return this.known(key)?.waiting ?? 0;
  }

  /** Among the first MAX_LINES lines. O(MAX_LINES). */
  override countedKeys(): CountedKey[] {
    return firstOf(this.lines(), MAX_LINES)
      .filter(({ waiting }) => waiting > 0)
      .map(({ key, waiting }) => ({ key, watchers: waiting }));
  }

  override *allKeys(): IterableIterator<K> {
    for (const { key, waiting } of this.lines()) if (waiting > 0) yield key;
  }

  override get isSparse(): boolean {
    const { operations } = this;
    const waits = this.waits;
    if (operations.spare + waits.spare <= 0) return false;
    // It visits all lines, which may be many more than the cells.
    const visits = operations.inUse + waits.inUse + this.#lines.size;
    return visits <= Math.min(MAX_COPIED, 4 * (operations.capacity + waits.capacity));
  }

  /** Parks all anew: by the order of parking each line gets its order. */
  override compact(): void {
    const old = this.waits;
    const operations = new Slab<DelayedOperation>(this.size);
    this.waits = new Slab<L>(old.inUse);
    for (const line of this.lines()) {
      line.firstSlot = NONE;
      line.waiting = 0;
    }
    this.#watchedKeys = 0;
    this.moveTo(operations, (own, _from, to) => {
      let next = NONE;
      for (const line of linesFrom(own, old).reverse()) next = this.#wait(line, to, next);
      return next;
    });
  }
}

/** The lines of the cells of an operation, from its first on. */
function linesFrom<L>(first: number, waits: Slab<L>): L[] {
  const lines: L[] = [];
  for (let wait = first as Slot; wait !== NONE; wait = waits.cells[wait + SIBLING] as Slot)
    lines.push(waits.value(wait) as L);
  return lines;
}
