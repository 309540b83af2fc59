// Gives the results of loads to the waiters, in slices, so that a hundred thousand waiters of one
// key do not block the event loop.
//
// Ground rules. It owns the queue of passes. A pass is one key of one load. The state is offered to
// waiters in the order of parking, up to the last that was parked before the load began. After
// SLICE_MS it waits for the next turn of the loop. After every HOP tries the microtasks run, so
// that the work of answered waiters is part of the slice. Both use the host's time and turns, also
// under a manual clock, because answers take real time.
//
// Costs. O(1) for each waiter besides its `accept`. (npm run bench -- shared)
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Slice } from '../turns/budget.ts';
import type { Load, LoadedKey } from './load.ts';

/** The result of a load for one key: a state, or an error that rejects. */
export interface Answer<V> {
  readonly load: Load<V>;
  readonly key: LoadedKey<V>;
  readonly value?: V | undefined;
  readonly refusal?: { readonly error: unknown };
}

/** The same as a timer's slice (system-timer-options.ts). */
const SLICE_MS = 5;
/** The number of tries after which the microtasks run. */
const HOP = 64;

export class Answers<V> {
  #queue: Answer<V>[] = [];
  readonly #done: (answer: Answer<V>, tried: number) => void;
  readonly #slice = new Slice({ now: () => performance.now() }, SLICE_MS);
  #isRunning = false;
  #hop = HOP;

  /** @param done is called at the end of each pass with the number of waiters that were tried. */
  constructor(done: (answer: Answer<V>, tried: number) => void) {
    this.#done = done;
  }

  /** The first slice begins at once, in the call. */
  give(answers: Iterable<Answer<V>>): void {
    for (const answer of answers) this.#queue.push(answer);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#slice.begin(performance.now());
    while (this.#queue.length > 0) {
      const answers = this.#queue;
      this.#queue = [];
      for (const answer of answers) await this.#pass(answer);
    }
    this.#isRunning = false;
  }

  async #pass(answer: Answer<V>): Promise<void> {
    const { load, key, refusal } = answer;
    const { watched } = key;
    let tried = 0;
    watched.beginPass();
    for (;;) {
      const waiter = watched.step(load.upTo);
      if (waiter === undefined) break;
      tried++;
      const hasEnded = refusal === undefined ? waiter.offer(answer.value) : waiter.fail(refusal.error);
      if (hasEnded) load.answered++;
      if (--this.#hop === 0) {
        this.#hop = HOP;
        await undefined;
      }
      if (this.#slice.isSpent()) {
        await nextTurn();
        this.#slice.begin(performance.now());
      }
    }
    this.#done(answer, tried);
  }
}
