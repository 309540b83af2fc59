// The promises that are to settle: what a burst of answers leaves to do for those who await them.
//
// Ground rules. It belongs to one purgatory, or to one table of replies. Whoever ends a wait takes
// it off lists and timer at once. Then its promise settles here: at once for the first of a turn and
// of a batch, else in that order, a batch before the microtasks run, a slice a turn. So a hundred
// thousand continuations do not run in a row.
//
// Costs. settle: O(1).
import type { Job } from './job.ts';
import type { Scheduler } from './scheduler.ts';

/** A wait that has ended. */
export interface Settling {
  /** Resolves or rejects its promise. Throws nothing. */
  settle(): void;
}

export class Settlements {
  readonly #scheduler: Scheduler;
  readonly #job: Job;
  #queue: Settling[] = [];
  /** How many of the queue have settled. */
  #at = 0;

  /** @param sliceMs how long they may take in a turn, in ms. Infinity: they never yield. */
  constructor(scheduler: Scheduler, sliceMs: number) {
    this.#scheduler = scheduler;
    this.#job = scheduler.job({ sliceMs, step: (job) => this.#settleBatch(job) });
  }

  settle(settling: Settling): void {
    if (!this.#job.isUnderWay && this.#scheduler.takeSettle()) {
      settling.settle();
      return;
    }
    this.#queue.push(settling);
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
