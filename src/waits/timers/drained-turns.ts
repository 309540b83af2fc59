// Many runs of one job in a turn of the host, where Node runs what the job left to process.nextTick
// and to microtasks before the next run, as it does between two of its own timers.
//
// Ground rules. No public call of Node drains both queues. But Node does so between two immediates
// of one turn. So a batch of immediates is queued at once, and each runs the job if it waits. When
// the budget of the turn is spent, or a run has asked for the end of the turn, the rest of the
// batch runs nothing, and a new batch is queued for the next turn. A batch is as large as the pace
// of the last one allows in a budget, so that a few runs cost a few immediates. Only the first of a
// batch keeps the process alive: the others run in the same turn anyhow. As in NextTurn, no
// immediate is ever cleared, and the host's own setImmediate is called in the root context. There
// is one job at most.
//
// Costs. add, delete: O(1). A run: one host immediate. Those of a batch are queued at the end of
// the turn before, outside of its budget. A batch that is not used up costs an empty immediate for
// each run it was too large for.
import { setImmediate as hostSetImmediate } from 'node:timers';
import { HostTurn } from '../../clock/host-turn.ts';
import type { NextTurnJob, Turns } from '../../clock/next-turn.ts';
import { rootContext } from '../../clock/root-context.ts';

/** The immediates of the first batch. */
const LEAST = 16;
/** How much larger the next batch is at most. */
const GROWTH = 16;
/** More immediates take more memory, and save little. */
const MOST = 16_384;

/** What the runs are of. */
interface Burst {
  /**
   * Runs the next piece of work and reads the clock. False when there is none: then it is up to the
   * job, which waits meanwhile.
   */
  runNext(): boolean;
  /** Reads the clock: ms. */
  now(): number;
  /** The last reading. A run ends with one. */
  readonly lastReadingMs: number;
}

export class DrainedTurns implements Turns {
  readonly #burst: Burst;
  readonly #budgetMs: number;
  #beginMs = 0;
  #job: NextTurnJob | undefined;
  /** The first immediate of the batch that is to come. */
  #first: HostTurn | undefined;
  /** The size of the batch that is to come, or under way. */
  #size = 0;
  /** The immediates of the batch under way that are still to run. */
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
  add(job: NextTurnJob): void {
    this.#job = job;
    if (this.#first !== undefined) this.#tellHost();
    else if (!this.#isRunning && (this.#isOver || this.#left === 0)) this.#queue(LEAST);
  }

  delete(job: NextTurnJob): void {
    if (this.#job !== job) return;
    this.#job = undefined;
    this.#tellHost();
  }

  /** To be called when the waiting job begins or ceases to keep the process alive. */
  hold(): void {
    this.#tellHost();
  }

  /** What waits, or is added in this turn, runs in the next turn. */
  endTurn(): void {
    this.#isOver = true;
  }

  #queue(size: number): void {
    this.#first = new HostTurn(this.#begin);
    this.#size = 1;
    rootContext.runInAsyncScope(this.#queueOthers, undefined, size - 1);
    this.#tellHost();
  }

  readonly #queueOthers = (count: number): void => {
    for (let i = 0; i < count; i++) {
      hostSetImmediate(this.#step).unref();
      this.#size++; // not before: the stack may end in the call
    }
  };

  #tellHost(): void {
    if (this.#first !== undefined) this.#first.isHeld = this.#job?.isRef === true;
  }

  readonly #begin = (): void => {
    this.#first = undefined;
    this.#left = this.#size;
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
        job.run();
      }
    } finally {
      this.#isRunning = false;
      const tookMs = this.#burst.lastReadingMs - this.#beginMs;
      this.#isOver ||= this.#left === 0 || tookMs >= this.#budgetMs;
      if (this.#isOver && this.#job !== undefined && this.#first === undefined) {
        const growth = Math.min(this.#budgetMs / tookMs, GROWTH);
        this.#queue(Math.min(Math.max(Math.ceil(this.#runs * growth), LEAST), MOST));
      }
    }
  };
}
