// The operations that are parked in one Thresholds, in park order, each at its place.
//
// Ground rules. It owns a cell for each operation (b: its stamp; value: its wait) and `$place` of
// the operation, which is the slot of that cell. Places change only in `shrink`. An operation that
// was frozen while it was parked cannot be told its new place: it is searched for. So what `$place`
// says is always compared with the cell there.
//
// Costs. add, remove, find: O(1), but O(places) to find a frozen one. shrink: O(visits). (A
// Map from operations to waits took a fifth of the time of an advance.)
import { mustHold } from '../must-hold.ts';
import type { DelayedOperation } from '../purgatory/delayed-operation.ts';
import { tellPlace } from '../purgatory/watchers/parked-operations.ts';
import { NONE, Slab, type Slot } from '../slab/slab.ts';

/** What is kept for a parked operation. */
interface OperationWait {
  readonly operation: DelayedOperation;
}

export class ParkedWaits<W extends OperationWait> {
  readonly #cells = new Slab<W>();
  readonly #all = this.#cells.makeList(NONE, NONE);

  get size(): number {
    return this.#cells.inUse - 1;
  }

  /** Adds the wait of an operation behind all others. */
  add(wait: W, stamp: number): void {
    wait.operation.$place = this.#cells.pushValue(this.#all, NONE, stamp, wait);
  }

  /** The wait of an operation; undefined if it is not here. */
  find(operation: DelayedOperation): W | undefined {
    const wait = this.#cells.value(operation.$place as Slot);
    if (wait?.operation === operation) return wait;
    return Object.isFrozen(operation) ? this.#cells.value(this.#search(operation)) : undefined;
  }

  stampOf(operation: DelayedOperation): number {
    return this.#cells.b(this.#placeOf(operation));
  }

  /** Takes out an operation that is here. */
  remove(operation: DelayedOperation): void {
    const place = this.#placeOf(operation);
    this.#cells.remove(place);
    this.#cells.clearValue(place);
  }

  oldest(): DelayedOperation | undefined {
    return this.#cells.value(this.#cells.next(this.#all))?.operation;
  }

  oldestFirst(top: number): DelayedOperation[] {
    const operations: DelayedOperation[] = [];
    const cells = this.#cells;
    for (let place = cells.next(this.#all); place !== this.#all && operations.length < top; ) {
      operations.push((cells.value(place) as W).operation);
      place = cells.next(place);
    }
    return operations;
  }

  /** Gives memory back, if enough of it is free. Looks at `visits` indexes at most. */
  shrink(visits: number): void {
    const cells = this.#cells;
    if (!cells.isSparse) return;
    if (!cells.isShrinking) cells.beginShrink();
    cells.moveValuesDown(visits, ({ operation }, place) => tellPlace(operation, place));
  }

  #placeOf(operation: DelayedOperation): Slot {
    const place = operation.$place as Slot;
    return this.#cells.value(place)?.operation === operation ? place : this.#search(operation);
  }

  #search(operation: DelayedOperation): Slot {
    let found = NONE;
    this.#cells.forEachValue((wait, place) => {
      if (wait.operation === operation) found = place;
    });
    return found;
  }

  /** Throws unless all is sound; returns the waits in park order. For tests: O(size). */
  check(): W[] {
    const places = this.#cells.check(this.#all);
    mustHold(places.length === this.size, `${places.length} operations are linked, ${this.size} in use`);
    return places.map((place) => {
      const wait = this.#cells.value(place) as W;
      mustHold(this.#placeOf(wait.operation) === place, 'an operation does not know its place');
      return wait;
    });
  }
}
