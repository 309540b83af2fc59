// Work that is done batch after batch, as far as each turn of the event loop allows.
//
// Ground rules. It owns the going on, and its owner has the work. After a batch that answered
// somebody the microtasks run, so that what the answered do next is counted. When the slice of the
// turn is spent, the rest waits for the next turn. On a clock that stands still nothing is ever
// spent: all is done in the turn, between microtasks. After a throw, also of the clock, the rest is
// done in the next turn.
//
// Costs. One reading of the clock a batch.
import { Batch } from './batch.ts';
import { afterMicrotasks } from './turn-end.ts';
import type { TurnSlice } from './turn-slice.ts';

/** Does what fits in `batch`. Returns whether anything is left. */
export type DoBatch = (batch: Batch) => boolean;

export class Batches {
  readonly #slice: TurnSlice;
  readonly #sliceMs: number;
  readonly #do: DoBatch;
  readonly #batch = new Batch();
  #isUnderWay = false;
  #beganMs = 0;

  /** @param sliceMs how long the work may take in a turn, in ms. Infinity: it never yields. */
  constructor(slice: TurnSlice, sliceMs: number, doBatch: DoBatch) {
    this.#slice = slice;
    this.#sliceMs = sliceMs;
    this.#do = doBatch;
  }

  /** Whether it goes on by itself. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** Does the first batch in the call, unless it is under way or the slice of the turn is spent. */
  begin(): void {
    if (this.#isUnderWay) return;
    this.#prepare();
    if (this.#slice.usedMs < this.#sliceMs) this.#doNext();
    else this.#slice.nextTurn(this.#nextTurn);
  }

  /** As `begin`, but the first batch comes after the microtasks. */
  beginLater(): void {
    if (this.#isUnderWay) return;
    this.#prepare();
    afterMicrotasks(this.#doNext);
  }

  #prepare(): void {
    this.#batch.reset();
    this.#beganMs = this.#slice.begin();
    this.#isUnderWay = true;
  }

  readonly #doNext = (): void => this.#goOn(false);

  readonly #lookOn = (): void => this.#goOn(true);

  /** @param isAfterBatch whether the slice may be spent. */
  #goOn(isAfterBatch: boolean): void {
    let hasThrown = true;
    try {
      this.#doBatches(isAfterBatch);
      hasThrown = false;
    } finally {
      if (hasThrown) this.#slice.nextTurn(this.#nextTurn);
    }
  }

  #doBatches(isAfterBatch: boolean): void {
    const batch = this.#batch;
    if (isAfterBatch && !this.#mayGoOn()) return;
    do {
      batch.begin();
      if (!this.#do(batch)) {
        this.#isUnderWay = false;
        return;
      }
      if (batch.hasAnswered) {
        afterMicrotasks(this.#lookOn);
        return;
      }
    } while (this.#mayGoOn());
  }

  /** False: the slice is spent, and it goes on in the next turn. */
  #mayGoOn(): boolean {
    const isSpent = this.#slice.isSpent(this.#sliceMs);
    this.#batch.adapt(this.#slice.lastMs - this.#beganMs);
    this.#beganMs = this.#slice.lastMs;
    if (isSpent) this.#slice.nextTurn(this.#nextTurn);
    return !isSpent;
  }

  readonly #nextTurn = (): void => {
    this.#beganMs = this.#slice.lastMs;
    this.#doNext();
  };
}
