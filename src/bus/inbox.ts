// The hints from other processes that are to be tried.
//
// Ground rules. It owns what is pending, each key of a member once. Normally a hint is tried in the
// call that brings it. After DEFAULT_SLICE_MS of tries in a row, or SLICE_TRIES, the rest waits for
// a later turn (turns/budget.ts), so that a flood of hints does not block the event loop. Hints that
// arrive meanwhile are merged. When more than `maxKeys` are pending, they become one sweep for each
// of their members.
//
// Costs. O(1) for a hint, and the cost of its tries.

import type { SystemTimer } from '../timer/system-timer.ts';
import { Budget } from '../turns/budget.ts';
import { DEFAULT_SLICE_MS } from '../turns/scheduler.ts';
import type { BusMember, HintValue } from './membership/bus-member.ts';
import { mergedValue } from './outbox.ts';

/** What the inbox reports to its bus. */
export interface InboxOwner {
  tried(someoneWatched: boolean): void;
  overflowed(keys: number, members: Iterable<BusMember>): void;
}

/**
 * A waiter that a try answers runs in a microtask after the slice, where the clock does not count
 * it. Two slices may run before the loop checks its timers: one in the poll phase, the next in an
 * immediate. A hint that nobody waits for does not count as a try.
 */
const SLICE_TRIES = 256;

export class Inbox {
  readonly #maxKeys: number;
  readonly #timer: SystemTimer;
  readonly #owner: InboxOwner;
  readonly #budget: Budget;
  readonly #pending = new Map<BusMember, Map<string, HintValue | undefined>>();
  #size = 0;
  #isDeferred = false;

  constructor(maxKeys: number, timer: SystemTimer, owner: InboxOwner) {
    this.#maxKeys = maxKeys;
    this.#timer = timer;
    this.#owner = owner;
    this.#budget = new Budget(timer, DEFAULT_SLICE_MS, SLICE_TRIES);
  }

  add(member: BusMember, key: string, value: HintValue | undefined): void {
    let keys = this.#pending.get(member);
    if (keys === undefined) {
      keys = new Map();
      this.#pending.set(member, keys);
    }
    const before = keys.size;
    keys.set(key, mergedValue(keys, key, value, member.merge));
    if (keys.size === before || ++this.#size <= this.#maxKeys) return;
    const members = [...this.#pending.keys()];
    const lost = this.#size;
    this.clear();
    this.#owner.overflowed(lost, members);
  }

  /** Tries what is pending, as far as this turn allows. */
  serve(): void {
    if (this.#isDeferred || this.#size === 0) return;
    this.#budget.goOn(this.#timer.now());
    this.#drain();
  }

  /** A member has left. */
  drop(member: BusMember): void {
    const keys = this.#pending.get(member);
    if (keys === undefined) return;
    this.#size -= keys.size;
    keys.clear(); // they may be on their way through #drain
    this.#pending.delete(member);
  }

  clear(): void {
    for (const member of this.#pending.keys()) this.drop(member);
  }

  /** A hint may change everything here. So each is taken out before it is tried. */
  #drain(): void {
    for (const [member, keys] of this.#pending) {
      for (const [key, value] of keys) {
        keys.delete(key);
        this.#size--;
        const someoneWatched = member.hinted(key, value, false);
        this.#owner.tried(someoneWatched);
        if (!this.#budget.isSpentBy(someoneWatched ? 1 : 0)) continue;
        this.#defer();
        return;
      }
      if (this.#pending.get(member) === keys) this.#pending.delete(member);
    }
  }

  /** By the timer, not by the host's turns: on a ManualClock all happens inside its `advance`. */
  #defer(): void {
    this.#isDeferred = true;
    this.#timer.schedule(() => {
      this.#isDeferred = false;
      if (this.#size === 0) return;
      this.#budget.begin(this.#timer.now());
      this.#drain();
    }, 0);
  }
}
