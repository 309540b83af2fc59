// A key that somebody waits for: who waits, and where its loading stands.
//
// Ground rules. It lives from its first waiter until its last has left and no load of it is under way. The waiters are in the order of
// parking; a Set keeps that order, and an iterator over it bears any change. The rest belongs to Loads (loads.ts), which alone writes it.
//
//   idle ──event, poll, recheck──► due ──► loading, then answering ──► idle, or due again after an event meanwhile
//                                                  └─ failed ──► backing off ──► due
import type { TimerTask } from '../timer/timer-task.ts';
import type { SharedWaiter, WaiterList } from './shared-waiter.ts';

/** What a key knows of its load. */
export interface KeyLoad {
  /** The waiter of that number has left. */
  left(number: number): void;
}

/** What a key knows of a sweep. */
export interface SweepRound {
  /** A key of the round is done with, after so many waiters were tried. */
  tried(waiters: number): void;
}

export class WatchedKey<V> implements WaiterList<V> {
  readonly key: string;
  readonly waiters: Set<SharedWaiter<V>> = new Set();
  /** The load of it that is under way, or whose answers are being given. At most one. */
  load: KeyLoad | undefined;
  /** An event came during that load, which may have read the state before: one more is to follow. */
  isOutdated = false;
  /** The next load is caused by an event, not by a poll or a recheck. */
  hasEvent = false;
  /** Failed loads in a row. While above 0 and with `look` set, it backs off: no event shortens that. */
  failures = 0;
  /** When the last load that an event caused was answered, in ms of the clock; rechecks count from there. */
  answeredAtMs = 0;
  /** Rechecks since then whose time has come: any load that begins later serves them. */
  rechecks = 0;
  /** The retry, recheck or poll that is next. */
  look: TimerTask | undefined;
  /** The sweep that waits for the next load of it. */
  sweep: SweepRound | undefined;
  readonly #left: (key: WatchedKey<V>, number: number) => void;

  /** @param left is told the number of each waiter that has left. */
  constructor(key: string, left: (key: WatchedKey<V>, number: number) => void) {
    this.key = key;
    this.#left = left;
  }

  get isWaitedFor(): boolean {
    return this.waiters.size > 0;
  }

  leave(waiter: SharedWaiter<V>): void {
    this.waiters.delete(waiter);
    this.#left(this, waiter.number);
  }
}
