// The work of a clock that waits for its next batch, and the order in which it gets it.
//
// Ground rules. It belongs to a TurnSlice. Of one kind, a work that has done a batch goes behind
// the others. The two kinds, deadlines and all other work, alternate, a batch each. So a deadline
// does not wait behind a thousand purgatories that answer, nor do they wait behind a thousand
// timers.
//
// Costs. push, take: O(1), but for the moves of an array's shift. isRef: O(works).

/** What goes on batch after batch. */
export interface Work {
  /** How long it and all other work may take in a turn, in ms. Infinity: it never waits. */
  readonly sliceMs: number;
  /** Does a batch. Returns whether anything is left. `isTimed`: `took` will be called for it. */
  doBatch(isTimed: boolean): boolean;
  /** How many steps the last batch had. */
  readonly steps: number;
  /** How many it may answer in the batch under way. */
  readonly mostAnswers: number;
  /** Whether the last batch answered somebody: then the microtasks run before more is done. */
  readonly hasAnswered: boolean;
  /** The last batch took `ms`, with the microtasks that ran after it. */
  took(ms: number): void;
  /** The rest is to wait, however little of the slice is used. */
  readonly mustYield: boolean;
  /** Whether it is the deadlines of a timer. */
  readonly isOfTimer?: boolean;
  /** Whether the process may end while it waits. */
  readonly isUnref?: boolean;
  /** The rest waits for the next turn. */
  didYield(): void;
}

export class WorkQueue {
  #deadlines: Work[] = [];
  #others: Work[] = [];
  /** The kind that is next, if there is any of it. */
  #isDeadlineNext = true;

  get size(): number {
    return this.#deadlines.length + this.#others.length;
  }

  /** Whether any of it keeps the process alive. */
  get isRef(): boolean {
    return keepAlive(this.#deadlines) || keepAlive(this.#others);
  }

  push(work: Work): void {
    if (work.isOfTimer) this.#deadlines.push(work);
    else this.#others.push(work);
  }

  /** Adds `works` in front of the others of their kind. The first of them is next. */
  putFirst(works: readonly Work[]): void {
    if (works.length > 0) this.#isDeadlineNext = works[0].isOfTimer === true;
    this.#deadlines = works.filter(({ isOfTimer }) => isOfTimer).concat(this.#deadlines);
    this.#others = works.filter(({ isOfTimer }) => !isOfTimer).concat(this.#others);
  }

  /** Takes out the work whose turn it is. */
  take(): Work | undefined {
    const isDeadline = this.#isDeadlineNext ? this.#deadlines.length > 0 : this.#others.length === 0;
    return isDeadline ? this.#deadlines.shift() : this.#others.shift();
  }

  /** `work` does its batch: the other kind is next. */
  didTurn(work: Work): void {
    this.#isDeadlineNext = !work.isOfTimer;
  }
}

export function keepAlive(works: readonly Work[]): boolean {
  return works.some(({ isUnref }) => !isUnref);
}
