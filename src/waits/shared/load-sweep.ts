// Loads every watched key again, because hints may have been missed.
//
// Invariants. The keys are spread over the time of a purgatory's sweep (membership/sweep.ts), so
// that processes that became live together do not read the shared state all at once. They are taken
// `loadBatch` at a time, each batch for one load. A sweep has ended when each of its keys was
// answered by a load of the sweep, or has lost all its waits. A call during a sweep begins a new
// round from there, and only the end of that round counts.

import type { CheckedBusLink, Sweeper } from '../../bus/membership/bus-link.ts';
import { KeyWalk } from '../../bus/membership/key-walk.ts';
import { Sweep } from '../../bus/membership/sweep.ts';
import type { WaiterLists } from './waiter-lists.ts';
import type { SweepRound, WatchedKey } from './watched-key.ts';

export class LoadSweep<V> implements Sweeper {
  readonly #lists: WaiterLists<V>;
  readonly #event: (key: WatchedKey) => void;
  readonly #sweep: Sweep;
  #round: Round | undefined;

  /** @param event is called for one key after the other. */
  constructor(
    lists: WaiterLists<V>,
    event: (key: WatchedKey) => void,
    loadBatch: number,
    link: CheckedBusLink,
  ) {
    this.#lists = lists;
    this.#event = event;
    const walk = new KeyWalk<string>(lists, (name) => this.#visit(name), loadBatch);
    this.#sweep = new Sweep(walk, link);
  }

  /** @param ended is called once, at the end of this round, unless another one replaces it. */
  begin(ended: (tried: number) => void): void {
    this.#round?.giveUp();
    const round = new Round(ended);
    this.#round = round;
    this.#sweep.begin(() => round.tried(0));
  }

  /** Drops the round, if there is one, without a report of its end. */
  stop(): void {
    this.#round?.giveUp();
    this.#sweep.stop();
  }

  #visit(name: string): void {
    const key = this.#lists.known(name) as WatchedKey;
    const round = this.#round as Round;
    round.asks();
    key.sweep = round;
    this.#event(key);
  }
}

class Round implements SweepRound {
  #ended: ((tried: number) => void) | undefined;
  /** Keys that were asked for and not answered, and one until all have been asked for. */
  #open = 1;
  #tried = 0;

  constructor(ended: (tried: number) => void) {
    this.#ended = ended;
  }

  asks(): void {
    this.#open++;
  }

  tried(waiters: number): void {
    this.#tried += waiters;
    if (--this.#open === 0) this.#ended?.(this.#tried);
  }

  giveUp(): void {
    this.#ended = undefined;
  }
}
