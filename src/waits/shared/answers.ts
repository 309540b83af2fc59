// Gives the results of loads to the waits, in slices, so that a hundred thousand waits on one key
// do not block the event loop.
//
// Invariants. It owns the queue of passes. A pass is one key of one load. It offers the state, in
// park order, to the waits that were parked before the load began. A deadline that comes meanwhile
// tries its wait first.
//
// Costs. O(1) for each wait besides its `accept`. (npm run bench -- shared)
import { Fifo } from '../../turns/fifo.ts';
import type { Job } from '../../turns/job.ts';
import { DEFAULT_SLICE_MS, type Scheduler } from '../../turns/scheduler.ts';
import type { Load, LoadedKey } from './load.ts';
import type { WaiterLists } from './waiter-lists.ts';
import type { SharedWaiter, WatchedKey } from './watched-key.ts';

/** The result of a load for one key: a state, or a failure. */
export interface Answer<V> {
  readonly load: Load<V>;
  readonly key: LoadedKey;
  readonly value?: V | undefined;
  readonly failure?: Failure;
}

/** Why a load failed, and when it is tried again. */
export interface Failure {
  readonly error: unknown;
  /** Undefined: it is not tried again. */
  readonly retry: Retry | undefined;
}

/** One for all that failed together: their keys stay together. */
export interface Retry {
  /** When it failed, in ms of the clock. */
  readonly sinceMs: number;
  /** From 0 to 1. */
  readonly jitter: number;
}

export class Answers<V> {
  readonly #lists: WaiterLists<V>;
  readonly #done: (answer: Answer<V>) => void;
  readonly #job: Job;
  readonly #queue = new Fifo<Answer<V>>();
  readonly #byKey = new Map<WatchedKey, Answer<V>>();

  /** @param done is called at the end of each pass. */
  constructor(scheduler: Scheduler, lists: WaiterLists<V>, done: (answer: Answer<V>) => void) {
    this.#lists = lists;
    this.#done = done;
    this.#job = scheduler.job({ sliceMs: DEFAULT_SLICE_MS, step: (job) => this.#giveBatch(job) });
  }

  /** They are given at the end of this turn, or later. */
  give(answers: Iterable<Answer<V>>): void {
    for (const answer of answers) {
      this.#queue.push(answer);
      this.#byKey.set(answer.key.watched, answer);
    }
    this.#job.wake();
  }

  /** Tries a wait whose deadline has come, if an answer is on its way. True iff that ended it. */
  hasEnded(waiter: SharedWaiter<V>): boolean {
    const answer = this.#byKey.get(waiter.watched);
    return answer !== undefined && waiter.passedBy !== answer.load && this.#offer(answer, waiter);
  }

  #giveBatch(job: Job): boolean {
    while (this.#queue.first !== undefined) if (!this.#pass(this.#queue.first, job)) return true;
    return false;
  }

  /** Goes on with a pass. Returns whether it is over. */
  #pass(answer: Answer<V>, job: Job): boolean {
    const { key } = answer;
    while (job.left > 0) {
      if (key.pass.isOver) {
        this.#queue.take();
        this.#byKey.delete(key.watched);
        this.#done(answer);
        return true;
      }
      job.count(1, this.#offer(answer, this.#lists.nextOf(key.pass)) ? 1 : 0);
    }
    return false;
  }

  #offer({ load, value, failure }: Answer<V>, waiter: SharedWaiter<V>): boolean {
    waiter.passedBy = load;
    const hasEnded =
      failure === undefined ? waiter.offer(value) : waiter.missed(failure.error, failure.retry === undefined);
    if (hasEnded) load.answered++;
    return hasEnded;
  }
}
