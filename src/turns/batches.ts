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

/** An owner that has a say in when its work waits for the next turn. */
export interface Yielding {
  /** The rest is to wait, however little of the slice is used. */
  readonly mustYield: boolean;
  /** The rest waits. */
  didYield(): void;
}

const notYielding: Yielding = { mustYield: false, didYield() {} };

export class Batches {
  readonly #slice: TurnSlice;
  readonly #sliceMs: number;
  readonly #do: DoBatch;
  readonly #yielding: Yielding;
  readonly #batch = new Batch();
  #isUnderWay = false;
  /** When the batch under way began, in ms. NaN: the clock has yet to be read. */
  #beganMs = 0;

  /** @param sliceMs how long the work may take in a turn, in ms. Infinity: it never yields. */
  constructor(slice: TurnSlice, sliceMs: number, doBatch: DoBatch, yielding: Yielding = notYielding) {
    this.#slice = slice;
    this.#sliceMs = sliceMs;
    this.#do = doBatch;
    this.#yielding = yielding;
  }

  /** Whether it goes on by itself. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** What a step takes with its continuations, in ms, on the average. Null: none was timed. */
  get stepMs(): number | null {
    return this.#batch.stepMs;
  }

  /** Does the first batch in the call, unless it is under way or the slice of the turn is spent. */
  begin(): void {
    if (this.#isUnderWay) return;
    this.#prepare(this.#slice.begin());
    if (this.#slice.usedMs < this.#sliceMs) this.#doNext();
    else this.#slice.nextTurn(this.#nextTurn);
  }

  /** As `begin`, but the first batch comes after the microtasks. */
  beginLater(): void {
    if (this.#isUnderWay) return;
    this.#prepare(this.#slice.begin());
    afterMicrotasks(this.#doNext);
  }

  /** As `begin`, but reads the clock only if more than a batch is to do. For much small work. */
  beginUnread(): void {
    if (this.#isUnderWay) return;
    this.#prepare(Number.NaN);
    this.#doNext();
  }

  /** Reads the clock now, if it has yet to be read. */
  readClock(): void {
    if (Number.isNaN(this.#beganMs)) this.#beganMs = this.#slice.begin();
  }

  #prepare(beganMs: number): void {
    this.#batch.reset();
    this.#beganMs = beganMs;
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
      batch.begin(!Number.isNaN(this.#beganMs));
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

  /** False: it goes on in the next turn. */
  #mayGoOn(): boolean {
    const yielding = this.#yielding;
    if (!this.#isSpent() && !yielding.mustYield) return true;
    yielding.didYield();
    this.#slice.nextTurn(this.#nextTurn);
    return false;
  }

  #isSpent(): boolean {
    const slice = this.#slice;
    if (Number.isNaN(this.#beganMs)) {
      this.readClock();
      return false;
    }
    const isSpent = slice.isSpent(this.#sliceMs);
    this.#batch.adapt(slice.lastMs - this.#beganMs);
    this.#beganMs = slice.lastMs;
    return isSpent;
  }

  readonly #nextTurn = (): void => {
    this.#beganMs = this.#slice.lastMs;
    this.#doNext();
  };
}
