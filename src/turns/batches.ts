// Work that is done batch after batch, as far as each turn of the event loop allows.
//
// Ground rules. It knows the size of the next batch, and its owner has the work. The slice of the
// turn (turn-slice.ts) says when a batch may be done: work of others is done in between.
//
// Costs. Those of the slice.
import { Batch } from './batch.ts';
import type { TurnSlice } from './turn-slice.ts';
import type { Work } from './work-queue.ts';

/** Does what fits in `batch`. Returns whether anything is left. */
export type DoBatch = (batch: Batch) => boolean;

/** An owner that has a say in when its work waits for the next turn. */
export interface Yielding {
  /** The rest is to wait, however little of the slice is used. */
  readonly mustYield: boolean;
  /** The rest waits. */
  didYield(): void;
  /** As in {@link Work}. */
  readonly isOfTimer?: boolean;
  readonly isUnref?: boolean;
}

const notYielding: Yielding = { mustYield: false, didYield() {} };

export class Batches implements Work {
  readonly sliceMs: number;
  readonly #slice: TurnSlice;
  readonly #do: DoBatch;
  readonly #yielding: Yielding;
  readonly #batch = new Batch();
  #isUnderWay = false;
  /** Whether a batch has been done since it yielded. */
  #hasRun = true;
  /** Whether the slice times the batch under way. */
  #isTimed = false;

  /** @param sliceMs how long the work may take in a turn, in ms. Infinity: it never yields. */
  constructor(slice: TurnSlice, sliceMs: number, doBatch: DoBatch, yielding: Yielding = notYielding) {
    this.#slice = slice;
    this.sliceMs = sliceMs;
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

  /** Does the first batch in the call, unless other work is under way or the slice is spent. */
  begin(): void {
    if (this.#prepare()) this.#slice.start(this);
  }

  /** As `begin`, but the first batch comes after the microtasks. */
  beginLater(): void {
    if (this.#prepare()) this.#slice.add(this);
  }

  /** As `begin`, but reads the clock only if more than a few steps are to do. */
  beginUnread(): void {
    if (this.#prepare()) this.#slice.startUnread(this);
  }

  /** Reads the clock now, if it has yet to be read. */
  readClock(): void {
    if (!this.#isTimed) this.#slice.begin();
  }

  #prepare(): boolean {
    if (this.#isUnderWay) return false;
    this.#isUnderWay = true;
    this.#hasRun = true;
    this.#batch.reset();
    return true;
  }

  doBatch(isTimed: boolean): boolean {
    this.#hasRun = true;
    this.#isTimed = isTimed;
    this.#batch.begin(isTimed);
    this.#isUnderWay = this.#do(this.#batch);
    return this.#isUnderWay;
  }

  get steps(): number {
    return this.#batch.done;
  }

  get mostAnswers(): number {
    return this.#batch.mostAnswers;
  }

  get hasAnswered(): boolean {
    return this.#batch.hasAnswered;
  }

  took(ms: number): void {
    this.#batch.adapt(ms);
  }

  get mustYield(): boolean {
    return this.#yielding.mustYield;
  }

  get isOfTimer(): boolean {
    return this.#yielding.isOfTimer === true;
  }

  get isUnref(): boolean {
    return this.#yielding.isUnref === true;
  }

  didYield(): void {
    if (!this.#hasRun) return;
    this.#hasRun = false;
    this.#yielding.didYield();
  }
}
