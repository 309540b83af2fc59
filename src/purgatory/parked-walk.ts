// A walk over all that is parked in a Purgatory, in the order of memory, for a sweep: tries each
// operation once.
//
// Ground rules. It keeps an index of memory, and no operation. Memory moves only when under a
// quarter of it is still in use. Then the walk begins a new round. So some operations are tried
// twice, and none is left out.

import type { Sweep, Walk } from '../bus/membership/sweep.ts';
import type { Parking } from './parking.ts';
import { NO_EVENT } from './passes.ts';
import type { Watchers } from './watchers.ts';

/** The {@link Walk} of a {@link Sweep} that tries every operation. */
export class ParkedWalk<K> implements Walk {
  readonly #parking: Parking<K, Watchers<K>>;
  #next = 0;
  #indexes = 0;
  #left = 0;
  #moves = 0;

  constructor(parking: Parking<K, Watchers<K>>) {
    this.#parking = parking;
  }

  get left(): number {
    return this.#left;
  }

  begin(random?: number): void {
    const { operations, moves } = this.#parking.lists;
    this.#indexes = operations.valueSpan;
    this.#left = this.#indexes;
    this.#moves = moves;
    if (random !== undefined) this.#next = Math.floor(random * this.#indexes);
  }

  step(): number {
    const { lists } = this.#parking;
    if (lists.moves !== this.#moves) this.begin();
    if (this.#left === 0) return 0;
    if (this.#next >= this.#indexes) this.#next = 0;
    const operation = lists.operations.valueAt(this.#next++);
    this.#left--;
    if (operation === undefined) return 0;
    this.#parking.tryParked(operation, NO_EVENT);
    return 1;
  }
}
