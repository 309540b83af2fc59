// Gives the results of loads to the waits, in slices, so that a hundred thousand waits on one key
// do not block the event loop.
//
// Invariants. It owns the queue of passes. A pass is one key of one load. It offers the state, in
// park order, to the waits that were parked before the load began.
//
// Costs. O(1) for each wait besides its condition. (npm run bench -- shared)
import { Fifo } from '../../turns/fifo.ts';
import { DEFAULT_SLICE_MS, type Job, type Scheduler } from '../../turns/scheduler.ts';
import type { Loading, Outcome } from './load.ts';
import type { SharedWaiter } from './shared-waiter.ts';
import type { WaiterLists } from './waiter-lists.ts';

export class Answers {
  readonly #lists: WaiterLists;
  readonly #done: (key: Loading) => void;
  readonly #job: Job;
  readonly #queue = new Fifo<Loading>();

  /** @param done is called at the end of each pass. */
  constructor(scheduler: Scheduler, lists: WaiterLists, done: (key: Loading) => void) {
    this.#lists = lists;
    this.#done = done;
    this.#job = scheduler.job({ sliceMs: DEFAULT_SLICE_MS, doBatch: (job) => this.#giveBatch(job) });
  }

  /** It is given at the end of this turn, or later. */
  give(key: Loading, outcome: Outcome): void {
    key.outcome = outcome;
    this.#queue.push(key);
    this.#job.wake();
  }

  /**
   * The deadline of a wait has come: true iff it is to expire. What a load has brought that began
   * after the wait was parked is offered first.
   */
  isStillDue(waiter: SharedWaiter): boolean {
    const { loading } = waiter.watched;
    if (loading?.outcome === undefined || loading.outcome.failure !== undefined) return true;
    return loading === waiter.lastLoading || !this.#offer(waiter, loading);
  }

  #giveBatch(job: Job): boolean {
    for (let key = this.#queue.first; key !== undefined; key = this.#queue.first) {
      if (job.stepsLeft <= 0) return true;
      if (key.pass.isOver) {
        this.#queue.take();
        this.#done(key);
      } else {
        const waiter = this.#lists.nextOf(key.pass) as SharedWaiter;
        job.count(1, this.#offer(waiter, key) ? 1 : 0);
      }
    }
    return false;
  }

  /** True iff that ended the wait. */
  #offer(waiter: SharedWaiter, key: Loading): boolean {
    waiter.lastLoading = key;
    const hasEnded = waiter.offer(key.outcome as Outcome);
    if (hasEnded) key.load.answered++;
    return hasEnded;
  }
}
