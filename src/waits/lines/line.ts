// The record of a key: who waits for it, and in a subclass what there is to be had.
//
// Ground rules. KeyLines makes, keeps and links lines. HandOvers writes `isServing` and `late`.
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { NONE, type Slot } from '../../slab/slab.ts';

export abstract class Line<K> {
  readonly key: K;
  /** The slot of the wait that came first, or NONE. */
  firstSlot: Slot = NONE;
  /** How many wait. */
  waiting = 0;
  /** Whether it is in the Map of KeyLines. */
  isFiled = false;
  /** Hand-overs are under way, and go on after what a listener does meanwhile. */
  isServing = false;
  /** Waits whose deadline came while hand-overs were due on this key. */
  late: DelayedOperation[] | undefined;

  constructor(key: K) {
    this.key = key;
    this.late = undefined;
  }

  /** Nobody waits, and nothing is to be remembered. */
  abstract get isIdle(): boolean;
}
