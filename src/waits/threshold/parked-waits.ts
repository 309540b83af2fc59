// The operations that are parked in one Thresholds, in park order, each at its place.
//
// Ground rules. Those of ParkedOperations, which keeps the operations themselves. It owns a cell for
// each operation (b: its stamp; value: its wait) and `$place` of the operation, the slot of that
// cell. Places change only in `shrink`.
//
// Costs. add, remove, find: O(1), but O(places) to find one that was frozen while it was parked.
// shrink: O(visits). (A Map from operations to waits took a fifth of the time of an advance.)
import { mustHold } from '../../base/must-hold.ts';
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { tellPlace } from '../../purgatory/watchers/parked-operations.ts';
import { NONE, Slab, type Slot } from '../../slab/slab.ts';

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

  /** The place of an operation; NONE if it is not here. */
  find(operation: DelayedOperation): Slot {
    const place = operation.$place as Slot;
    if (this.at(place)?.operation === operation) return place;
    let found = NONE;
    if (Object.isFrozen(operation)) {
      this.#cells.forEachValue((wait, slot) => {
        if (wait.operation === operation) found = slot;
      });
    }
    return found;
  }

  /** The wait at `place`, if there is one. */
  at(place: Slot): W | undefined {
    return this.#cells.value(place);
  }

  stamp(place: Slot): number {
    return this.#cells.b(place);
  }

  remove(place: Slot): void {
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

  /**
   * Gives memory back, if enough of it is free. Looks at `visits` indexes at most. True if nothing
   * is left to do.
   */
  shrink(visits: number): boolean {
    const cells = this.#cells;
    if (!cells.isSparse) return true;
    if (!cells.isShrinking) cells.beginShrink();
    cells.moveValuesDown(visits, ({ operation }, place) => tellPlace(operation, place));
    return !cells.isShrinking;
  }

  /** Throws unless all is sound; returns the waits in park order. For tests: O(size). */
  check(): W[] {
    const places = this.#cells.check(this.#all);
    mustHold(places.length === this.size, `${places.length} operations are linked, ${this.size} in use`);
    return places.map((place) => {
      const wait = this.at(place) as W;
      mustHold(this.find(wait.operation) === place, 'an operation does not know its place');
      return wait;
    });
  }
}
