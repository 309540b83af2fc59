// The parked operations of one Watchers, in park order, each at its place.
//
// Ground rules. It owns a cell for each operation (a: its first watch, b: its stamp) and `$place`
// of the operation, which is the slot of that cell. Places change only in `shrink`. An operation
// that was frozen while it was parked cannot be told its new place: it is searched for. What
// `$place` says is always compared with the cell there.
//
// Costs. add, remove, find: O(1), but O(places) to find a frozen one. shrink: O(visits).
import { mustHold } from '../../base/must-hold.ts';
import { NONE, Slab, type Slot } from '../../slab/slab.ts';
import type { DelayedOperation } from '../delayed-operation.ts';
import type { FirstWatch } from './lone-watcher.ts';

export class ParkedOperations {
  readonly #cells = new Slab<DelayedOperation>();
  readonly #all = this.#cells.makeList(NONE, NONE);
  #moves = 0;

  get size(): number {
    return this.#cells.inUse - 1;
  }

  /** Adds an operation behind all others; it watches nothing yet. Returns its place. */
  add(operation: DelayedOperation, stamp: number): Slot {
    const place = this.#cells.pushValue(this.#all, NONE, stamp, operation);
    operation.$place = place;
    return place;
  }

  /**
   * Takes the operation at `place` out of the order, all at once or, where the stack overflows, not
   * at all.
   */
  remove(place: Slot): void {
    this.#cells.remove(place);
  }

  /** Forgets the operation that was at `place`; to be called at once after `remove`. */
  forget(place: Slot): void {
    this.#cells.clearValue(place);
  }

  first(place: Slot): FirstWatch {
    return this.#cells.a(place) as FirstWatch;
  }

  setFirst(place: Slot, first: FirstWatch): void {
    this.#cells.setA(place, first);
  }

  stamp(place: Slot): number {
    return this.#cells.b(place);
  }

  at(place: Slot): DelayedOperation | undefined {
    return this.#cells.value(place);
  }

  /** The place of an operation; NONE if it is not here. */
  find(operation: DelayedOperation): Slot {
    const place = operation.$place as Slot;
    if (this.#cells.value(place) === operation) return place;
    return Object.isFrozen(operation) ? this.#cells.find(operation) : NONE;
  }

  oldest(): DelayedOperation | undefined {
    return this.#cells.value(this.#cells.next(this.#all));
  }

  oldestFirst(top: number): DelayedOperation[] {
    const operations: DelayedOperation[] = [];
    const cells = this.#cells;
    for (let place = cells.next(this.#all); place !== this.#all && operations.length < top; ) {
      operations.push(cells.value(place) as DelayedOperation);
      place = cells.next(place);
    }
    return operations;
  }

  /** How many indexes there are for {@link atIndex}; some are empty. */
  get indexes(): number {
    return this.#cells.valueSpan;
  }

  /** The operation at an index, by the order of memory. */
  atIndex(index: number): DelayedOperation | undefined {
    return this.#cells.valueAt(index);
  }

  /** How often places, and indexes, have changed. */
  get moves(): number {
    return this.#moves;
  }

  /** The place at an index; NONE if it is empty. */
  placeAt(index: number): Slot {
    const operation = this.#cells.valueAt(index);
    return operation === undefined ? NONE : this.#cells.slotAt(index);
  }

  /** Whether there is memory to give back. */
  get isSparse(): boolean {
    return this.#cells.isSparse;
  }

  /**
   * Gives memory back in steps: one looks at `visits` indexes at most, and returns how many are
   * left. Calls `moved` with the old and the new place of each operation that moves.
   */
  shrink(visits: number, moved: (from: Slot, to: Slot) => void): number {
    if (!this.#cells.isShrinking) this.#cells.beginShrink();
    return this.#cells.moveValuesDown(visits, (operation, to, from) => {
      this.#moves++;
      moved(from, to);
      tellPlace(operation, to);
    });
  }

  get isShrinking(): boolean {
    return this.#cells.isShrinking;
  }

  /** Throws unless all is sound; returns the places in park order. For tests: O(size). */
  check(): Slot[] {
    const places = this.#cells.check(this.#all);
    mustHold(places.length === this.size, `${places.length} operations are linked, ${this.size} in use`);
    for (const place of places) {
      const operation = this.at(place) as DelayedOperation;
      mustHold(this.find(operation) === place, 'an operation does not know its place');
    }
    return places;
  }
}

/** Tells an operation its place. In the middle of a compaction, one that is frozen must stop nothing. */
export function tellPlace(operation: DelayedOperation, place: Slot): void {
  try {
    operation.$place = place;
  } catch (error) {
    if (!Object.isFrozen(operation)) throw error;
  }
}
