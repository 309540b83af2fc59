// A pass: one event's walk over the operations that watch its key, the oldest first.
//
// Invariants. It is one record from its beginning to its end, wherever it runs: in a call, or a
// part a batch over many turns, or as one more behind another. Its operations are those that
// watched the key when it began: from `nextSlot` to `lastSlot` in the ring of the key. Watchers
// makes it begin, and moves it along when one of them is removed. It is over when nobody is left,
// or when it was stopped. All its fields hold small integers or references: V8 boxes any other
// number.
import { NONE, type Slot } from '../slab/slab.ts';
import { ALL, addLimits } from './event-limit.ts';

export class Pass<K = unknown> {
  /**
   * One is alive at all times. Else each collection between two events takes the shape of a Pass
   * away, and the code of the walk with it: the next pass over 100,000 watchers takes 12 ms longer
   * (`npm run bench -- vain`).
   */
  static readonly alive: Pass = new Pass<unknown>(undefined);

  readonly key: K;
  /** The number of its event among those of `notify`. */
  readonly number: number;
  /** The cell of the key. Valid until the pass is over. */
  keySlot: Slot = NONE;
  /** The slots of the watch that is next, and of the last one. NONE: it has not begun, or is over. */
  nextSlot: Slot = NONE;
  lastSlot: Slot = NONE;
  /** How many watched the key when it began, and how many of them were tried. */
  watchers = 0;
  tried = 0;
  /** How many may still complete. A deadline that meets the event counts too. */
  left: number;
  /** When it began, in ms, if it does not fit in a batch. */
  sinceMs: number | undefined = undefined;
  /** The pass of the events that have come meanwhile. It has yet to begin. */
  after: Pass<K> | undefined = undefined;

  constructor(key: K, limit: number = ALL, number = 0) {
    this.key = key;
    this.number = number;
    this.left = limit;
  }

  get hasBegun(): boolean {
    return this.watchers > 0;
  }

  get isOver(): boolean {
    return this.nextSlot < 0;
  }

  /** As many more may complete. */
  allow(limit: number): void {
    this.left = addLimits(this.left, limit);
  }

  /** One has completed for its event: it stops when no other may. */
  countCompletion(): void {
    if (--this.left <= 0) this.stop();
  }

  stop(): void {
    this.nextSlot = NONE;
  }
}
