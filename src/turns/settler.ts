// Settles promises, a few at a time: a hundred thousand continuations must not run in a row.
//
// Ground rules. It belongs to one purgatory, or to one table of replies. A wait that ends leaves
// the lists and the timer at once. Then its promise settles here. The first ones of a turn and of a
// batch settle at once, the others in their order: a batch between two runs of the microtasks, a
// slice a turn.
//
// Costs. settle: O(1).
import type { Job } from './job.ts';
import type { Scheduler } from './scheduler.ts';

/** A wait that has ended. */
export interface Settleable {
  /** Resolves or rejects its promise. Throws nothing. */
  settle(): void;
}

export class Settler {
  readonly #scheduler: Scheduler;
  readonly #job: Job;
  #queue: Settleable[] = [];
  /** How many of the queue have settled. */
  #at = 0;

  /** @param sliceMs how long they may take in a turn, in ms. Infinity: they never yield. */
  constructor(scheduler: Scheduler, sliceMs: number) {
    this.#scheduler = scheduler;
    this.#job = scheduler.job({ sliceMs, step: (job) => this.#settleBatch(job) });
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
    const queue = this.#queue;
    const until = Math.min(queue.length, this.#at + job.answersLeft);
    job.count(until - this.#at, until - this.#at);
    while (this.#at < until) queue[this.#at++].settle();
    if (this.#at < queue.length) return true;
    this.#queue = [];
    this.#at = 0;
    return false;
  }
}
