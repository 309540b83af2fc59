// Many runs of one job in a turn of the host. Between two runs Node drains process.nextTick and
// microtasks, as it does between two of its own timers.
//
// Invariants. Node drains both queues between two immediates of one turn, and no public call of
// Node does. So a batch of immediates is queued at once, and each runs the job if the job waits.
// When the budget of the turn is spent, the rest of the batch runs nothing, and a new batch is
// queued for the next turn. A batch is as large as the pace of the last one allows in a budget. No
// immediate is ever cleared (clock/later.ts). There is one job at most.
//
// Costs. add: O(1). A run: one host immediate.
import { hostSetImmediate } from '../../base/host.ts';
import { inRootContext } from '../../clock/root-context.ts';

/** The immediates of the first batch. */
const LEAST = 16;
/** How much larger the next batch is at most. */
const GROWTH = 16;
/** More immediates take more memory, and save little. */
const MOST = 16_384;

/** The work of the runs. */
interface Burst {
  /**
   * Runs the next piece of work. False when there is none: then it is up to the job, which waits.
   */
  runNext(): boolean;
  /** Reads the clock: ms. */
  now(): number;
}

export class DrainedTurns {
  readonly #burst: Burst;
  readonly #budgetMs: number;
  #beginMs = 0;
  #job: (() => void) | undefined;
  /** The immediates of the batch that is to come, and those of the one under way. */
  #coming = 0;
  #left = 0;
  /** The runs of the batch under way. */
  #runs = 0;
  #isOver = true;
  #isRunning = false;

  /** @param budgetMs how long the job runs in one turn. Only the last run can exceed it. */
  constructor(burst: Burst, budgetMs: number) {
    this.#burst = burst;
    this.#budgetMs = budgetMs;
  }

  /** Runs `job` once: in this turn, if a batch is under way and may go on, else in the next. */
  add(job: () => void): void {
    this.#job = job;
    const goesOn = this.#isRunning || (!this.#isOver && this.#left > 0);
    if (this.#coming === 0 && !goesOn) this.#queue(LEAST);
  }

  /** What waits, or is added in this turn, runs in the next turn. */
  endTurn(): void {
    this.#isOver = true;
  }

  #queue(size: number): void {
    this.#coming = size;
    inRootContext(this.#queueAll);
  }

  readonly #queueAll = (): void => {
    hostSetImmediate(this.#begin);
    for (let i = 1; i < this.#coming; i++) hostSetImmediate(this.#step);
  };

  readonly #begin = (): void => {
    this.#left = this.#coming;
    this.#coming = 0;
    this.#runs = 0;
    this.#isOver = false;
    this.#beginMs = this.#burst.now();
    this.#step();
  };

  readonly #step = (): void => {
    this.#left--;
    const job = this.#job;
    if (job === undefined || this.#isOver) return;
    this.#runs++;
    this.#isRunning = true;
    try {
      if (!this.#burst.runNext()) {
        this.#job = undefined;
        job();
      }
    } finally {
      this.#isRunning = false;
      const tookMs = this.#burst.now() - this.#beginMs;
      this.#isOver ||= this.#left === 0 || tookMs >= this.#budgetMs;
      if (this.#isOver && this.#job !== undefined && this.#coming === 0) {
        const growth = Math.min(this.#budgetMs / tookMs, GROWTH);
        this.#queue(Math.min(Math.max(Math.ceil(this.#runs * growth), LEAST), MOST));
      }
    }
  };
}
