// Gives the results of loads to the waits, in slices, so that a hundred thousand waits on one key
// do not block the event loop.
//
// Invariants. It owns the queue of passes. A pass is one key of one load. It offers the state, in
// park order, to the waits that were parked before the load began.
//
// Costs. O(1) for each wait besides its condition. (npm run bench -- shared)
import { Fifo } from '../../turns/fifo.ts';
import { DEFAULT_SLICE_MS, type Job, type Scheduler } from '../../turns/scheduler.ts';
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
  /** By key, what its load has brought, until all its waits have been given it. */
  readonly #brought = new Map<WatchedKey, Answer<V>>();

  /** @param done is called at the end of each pass. */
  constructor(scheduler: Scheduler, lists: WaiterLists<V>, done: (answer: Answer<V>) => void) {
    this.#lists = lists;
    this.#done = done;
    this.#job = scheduler.job({ sliceMs: DEFAULT_SLICE_MS, doBatch: (job) => this.#giveBatch(job) });
  }

  /** They are given at the end of this turn, or later. */
  give(answers: Iterable<Answer<V>>): void {
    for (const answer of answers) {
      this.#queue.push(answer);
      this.#brought.set(answer.key.watched, answer);
    }
    this.#job.wake();
  }

  /**
   * The deadline of a wait has come: true iff it is to expire. What a load has brought that began
   * after the wait was parked is offered first.
   */
  isStillDue(waiter: SharedWaiter<V>): boolean {
    const answer = this.#brought.get(waiter.watched);
    if (answer === undefined || answer.failure !== undefined || answer.load === waiter.lastLoad) return true;
    waiter.lastLoad = answer.load;
    if (!waiter.offer(answer.value)) return true;
    answer.load.answered++;
    return false;
  }

  #giveBatch(job: Job): boolean {
    while (this.#queue.first !== undefined) if (!this.#pass(this.#queue.first, job)) return true;
    return false;
  }

  /** Goes on with a pass. Returns whether it is over. */
  #pass(answer: Answer<V>, job: Job): boolean {
    const { load, key, failure } = answer;
    while (job.stepsLeft > 0) {
      if (key.pass.isOver) {
        this.#queue.take();
        this.#brought.delete(key.watched);
        this.#done(answer);
        return true;
      }
      const waiter = this.#lists.nextOf(key.pass) as SharedWaiter<V>;
      waiter.lastLoad = load;
      const hasEnded =
        failure === undefined
          ? waiter.offer(answer.value)
          : waiter.missed(failure.error, failure.retry === undefined);
      if (hasEnded) load.answered++;
      job.count(1, hasEnded ? 1 : 0);
    }
    return false;
  }
}
