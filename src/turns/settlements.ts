// The promises that are to settle: what a burst of answers leaves to do for those who await them.
//
// Ground rules. It belongs to one purgatory, or to one table of replies. Whoever ends a wait takes
// it off lists and timer at once. Then its promise settles here: at once for the first of a turn,
// else in that order, a batch before the microtasks run, a slice a turn. So a hundred thousand
// continuations do not run in a row. On a clock that stands still nothing yields: all settle in
// the turn, between microtasks.
//
// Costs. settle: O(1). One microtask for each turn in which a promise settles.
import { Batch } from './batch.ts';
import { afterMicrotasks, TurnEnd } from './turn-end.ts';
import type { TurnSlice } from './turn-slice.ts';

/** A wait that has ended. */
export interface Settling {
  /** Resolves or rejects its promise. Throws nothing. */
  settle(): void;
}

/** Promises that settle in the call that ends them, before the microtasks run. */
const AT_ONCE = 64;

export class Settlements {
  readonly #slice: TurnSlice;
  readonly #sliceMs: number;
  readonly #batch = new Batch();
  readonly #turnEnd = new TurnEnd(() => this.#drain());
  #queue: Settling[] = [];
  /** How many of the queue have settled. */
  #at = 0;
  #atOnce = 0;
  #isDraining = false;
  #beganMs = 0;

  /** @param sliceMs how long they may take in a turn, in ms. Infinity: they never yield. */
  constructor(slice: TurnSlice, sliceMs: number) {
    this.#slice = slice;
    this.#sliceMs = sliceMs;
  }

  settle(settling: Settling): void {
    if (this.#isDraining || this.#atOnce === AT_ONCE) {
      this.#queue.push(settling);
      return;
    }
    if (this.#atOnce++ === 0) this.#turnEnd.request();
    settling.settle();
  }

  #drain(): void {
    this.#atOnce = 0;
    if (this.#queue.length === 0) return;
    this.#isDraining = true;
    this.#batch.reset();
    this.#beganMs = this.#slice.begin();
    afterMicrotasks(this.#lookOn); // those that settled at once come first
  }

  #settleBatch(): void {
    const batch = this.#batch;
    batch.begin();
    const queue = this.#queue;
    while (this.#at < queue.length && !batch.isFull) {
      batch.step(true);
      queue[this.#at++].settle();
    }
    if (this.#at === queue.length) {
      this.#queue = [];
      this.#at = 0;
    }
    afterMicrotasks(this.#lookOn);
  }

  readonly #lookOn = (): void => {
    if (this.#at === this.#queue.length) {
      this.#isDraining = false;
      return;
    }
    const isSpent = this.#slice.isSpent(this.#sliceMs);
    this.#batch.adapt(this.#slice.lastMs - this.#beganMs);
    this.#beganMs = this.#slice.lastMs;
    if (isSpent) this.#slice.nextTurn(this.#nextTurn);
    else this.#settleBatch();
  };

  readonly #nextTurn = (): void => {
    this.#beganMs = this.#slice.lastMs;
    this.#settleBatch();
  };
}
