// Settles promises, a few at a time: a hundred thousand continuations must not run in a row.
//
// Ground rules. It belongs to one purgatory, or to one table of replies. A wait that ends is off
// the lists and the timer at once. Then its promise settles here. The first ones of a turn and of a
// batch settle at once, the others in their order: a batch between two runs of the microtasks, a
// slice a turn.
//
// Costs. settle: O(1).
import { Fifo } from './fifo.ts';
import type { Job, Scheduler } from './scheduler.ts';

/** A wait that has ended. */
export interface Settleable {
  /** Resolves or rejects its promise. Throws nothing. */
  settle(): void;
}

export class Settler {
  readonly #scheduler: Scheduler;
  readonly #job: Job;
  readonly #queue = new Fifo<Settleable>();

  /** @param sliceMs how long they may take in a turn, in ms. Infinity: they never yield. */
  constructor(scheduler: Scheduler, sliceMs: number) {
    this.#scheduler = scheduler;
    this.#job = scheduler.job({ sliceMs, doBatch: (job) => this.#settleBatch(job) });
  }

  settle(settleable: Settleable): void {
    if (!this.#job.isUnderWay && this.#scheduler.takeSettle()) {
      settleable.settle();
      return;
    }
    this.#queue.push(settleable);
    this.#job.wake();
  }

  #settleBatch(job: Job): boolean {
    const answers = Math.min(this.#queue.size, job.answersLeft);
    job.count(answers, answers);
    for (let settled = 0; settled < answers; settled++) this.#queue.take().settle();
    return this.#queue.size > 0;
  }
}
