// The promises that are to settle: what a burst of answers leaves to do for those who await them.
//
// Ground rules. It belongs to one purgatory, or to one table of replies. Whoever ends a wait takes
// it off lists and timer at once. Then its promise settles here: at once for the first of a turn,
// else in that order, a batch before the microtasks run, a slice a turn. So a hundred thousand
// continuations do not run in a row. On a clock that stands still nothing yields: all settle in
// the turn, between microtasks.
//
// Costs. settle: O(1). One microtask for each turn in which promises are to settle later.

import { TurnEnd } from '../clock/turn-end.ts';
import type { Batch } from './batch.ts';
import { Batches } from './batches.ts';
import type { TurnSlice } from './turn-slice.ts';

/** A wait that has ended. */
export interface Settling {
  /** Resolves or rejects its promise. Throws nothing. */
  settle(): void;
}

export class Settlements {
  readonly #slice: TurnSlice;
  readonly #batches: Batches;
  readonly #turnEnd = new TurnEnd(() => this.#batches.beginLater());
  #queue: Settling[] = [];
  /** How many of the queue have settled. */
  #at = 0;

  /** @param sliceMs how long they may take in a turn, in ms. Infinity: they never yield. */
  constructor(slice: TurnSlice, sliceMs: number) {
    this.#slice = slice;
    this.#batches = new Batches(slice, sliceMs, (batch) => this.#settleBatch(batch));
  }

  settle(settling: Settling): void {
    if (this.#queue.length === 0 && !this.#batches.isUnderWay && this.#slice.takeAtOnce()) {
      settling.settle();
      return;
    }
    this.#queue.push(settling);
    // Those that settled at once come first.
    if (!this.#batches.isUnderWay) this.#turnEnd.request();
  }

  #settleBatch(batch: Batch): boolean {
    if (this.#at === this.#queue.length) return false; // only now: what the last ones cause comes behind them
    const queue = this.#queue;
    while (this.#at < queue.length && !batch.isFull) {
      batch.step(true);
      queue[this.#at++].settle();
    }
    if (this.#at === queue.length) {
      this.#queue = [];
      this.#at = 0;
    }
    return true;
  }
}
