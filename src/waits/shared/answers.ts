// Gives the results of loads to the waiters, in slices, so that a hundred thousand waiters of one
// key do not block the event loop.
//
// Ground rules. It owns the queue of passes. A pass is one key of one load. The state is offered to
// waiters in the order of parking, up to the last that was parked before the load began. It goes on
// as events do (turns/batches.ts): what the answered do next is part of the slice.
//
// Costs. O(1) for each waiter besides its `accept`. (npm run bench -- shared)
import type { Batch } from '../../turns/batch.ts';
import { Batches } from '../../turns/batches.ts';
import { DEFAULT_SLICE_MS } from '../../turns/budget.ts';
import type { TurnSlice } from '../../turns/turn-slice.ts';
import type { Load, LoadedKey } from './load.ts';

/** The result of a load for one key: a state, or a failure. */
export interface Answer<V> {
  readonly load: Load<V>;
  readonly key: LoadedKey<V>;
  readonly value?: V | undefined;
  readonly failure?: Failure;
}

/** Why a load failed, and when it is tried again. */
export interface Failure {
  readonly error: unknown;
  /** From 0 to 1; undefined: it is not tried again. One a load: its keys stay together. */
  readonly jitter: number | undefined;
}

export class Answers<V> {
  readonly #done: (answer: Answer<V>, tried: number) => void;
  readonly #batches: Batches;
  #queue: Answer<V>[] = [];
  /** How many of the queue have been given. */
  #at = 0;
  /** Waiters that were tried in the pass under way; undefined: none is. */
  #tried: number | undefined;

  /** @param done is called at the end of each pass with the number of waiters that were tried. */
  constructor(slice: TurnSlice, done: (answer: Answer<V>, tried: number) => void) {
    this.#done = done;
    this.#batches = new Batches(slice, DEFAULT_SLICE_MS, (batch) => this.#giveBatch(batch));
  }

  /** The first slice begins at once, in the call. */
  give(answers: Iterable<Answer<V>>): void {
    for (const answer of answers) this.#queue.push(answer);
    this.#batches.begin();
  }

  #giveBatch(batch: Batch): boolean {
    while (this.#at < this.#queue.length) if (!this.#pass(this.#queue[this.#at], batch)) return true;
    this.#queue = [];
    this.#at = 0;
    return false;
  }

  /** Begins a pass, or goes on with it. Returns whether it is over. */
  #pass(answer: Answer<V>, batch: Batch): boolean {
    const { load, key, failure } = answer;
    const { watched } = key;
    if (this.#tried === undefined) {
      this.#tried = 0;
      watched.beginPass();
    }
    while (!batch.isFull) {
      const waiter = watched.step(load.upTo);
      if (waiter === undefined) {
        const tried = this.#tried;
        this.#tried = undefined;
        this.#at++;
        this.#done(answer, tried);
        return true;
      }
      this.#tried++;
      const hasEnded =
        failure === undefined
          ? waiter.offer(answer.value)
          : waiter.missed(failure.error, failure.jitter === undefined);
      if (hasEnded) load.answered++;
      batch.step(hasEnded);
    }
    return false;
  }
}
