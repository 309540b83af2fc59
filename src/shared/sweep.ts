// Every watched key is loaded again, as hints may have been missed: spread, so that processes that
// became live together do not read the shared state all at once.
//
// Ground rules. A sweep owns a round: the keys that were watched when it began, from a random one
// on, STEP_KEYS at a step, the steps evenly over `sweepMs`. It has ended when each of its keys has
// been answered by a load that it caused, or has been left by all its waiters. A sweep that is
// asked for again begins a new round where the old one is; only the new one's end counts then.
import type { SystemTimer } from '../timer/system-timer.ts';
import type { TimerTask } from '../timer/timer-task.ts';
import type { SweepRound, WatchedKey } from './watched-key.ts';

export class Sweep<V> {
  readonly #keys: ReadonlyMap<string, WatchedKey<V>>;
  readonly #event: (key: WatchedKey<V>) => void;
  readonly #timer: SystemTimer;
  readonly #stepKeys: number;
  readonly #sweepMs: number;
  /** The keys of the round that are still to be loaded, the next one last. */
  #rest: string[] = [];
  #step: TimerTask | undefined;
  #round: Round | undefined;

  /** @param event is called for each key in its turn. @param stepKeys keys of one step. */
  constructor(
    keys: ReadonlyMap<string, WatchedKey<V>>,
    event: (key: WatchedKey<V>) => void,
    timer: SystemTimer,
    stepKeys: number,
    sweepMs: number,
  ) {
    this.#keys = keys;
    this.#event = event;
    this.#timer = timer;
    this.#stepKeys = stepKeys;
    this.#sweepMs = sweepMs;
  }

  /** @param ended is called once, at the end of this round, unless another one replaces it. */
  begin(ended: (tried: number) => void): void {
    this.end();
    const keys = [...this.#keys.keys()];
    const next = this.#rest.at(-1);
    const from =
      next === undefined ? Math.floor(Math.random() * keys.length) : Math.max(keys.indexOf(next), 0);
    this.#rest = [...keys.slice(from), ...keys.slice(0, from)].reverse();
    if (keys.length === 0) {
      ended(0);
      return;
    }
    const round = new Round(keys.length, ended);
    this.#round = round;
    const steps = Math.ceil(keys.length / this.#stepKeys);
    this.#takeStep(round, this.#sweepMs / steps);
  }

  /** Gives the round up, if there is one: its end is not told. */
  end(): void {
    this.#step?.cancel();
    this.#step = undefined;
    this.#round?.giveUp();
    this.#round = undefined;
  }

  #takeStep(round: Round, intervalMs: number): void {
    for (const name of this.#rest.splice(-this.#stepKeys).reverse()) {
      const key = this.#keys.get(name);
      if (key?.isWaitedFor) {
        key.sweep = round;
        this.#event(key);
      } else {
        round.tried(0);
      }
    }
    if (this.#rest.length > 0)
      this.#step = this.#timer.schedule(() => this.#takeStep(round, intervalMs), intervalMs);
  }
}

class Round implements SweepRound {
  #ended: ((tried: number) => void) | undefined;
  #left: number;
  #tried = 0;

  constructor(keys: number, ended: (tried: number) => void) {
    this.#left = keys;
    this.#ended = ended;
  }

  tried(waiters: number): void {
    this.#tried += waiters;
    if (--this.#left === 0) this.#ended?.(this.#tried);
  }

  giveUp(): void {
    this.#ended = undefined;
  }
}
