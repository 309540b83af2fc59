// The hints from other processes that are to be tried.
//
// Ground rules. It owns what is pending, each key of a member once. Hints are tried by a job of the
// scheduler, so that a flood of them does not block the event loop. Hints that arrive meanwhile are
// merged. When more than `maxKeys` are pending, they become one sweep for each of their members.
//
// Costs. O(1) for a hint, and the cost of its tries.

import type { SystemTimer } from '../timer/system-timer.ts';
import type { Job } from '../turns/job.ts';
import { DEFAULT_SLICE_MS, schedulerOf } from '../turns/scheduler.ts';
import type { BusMember, HintValue } from './membership/bus-member.ts';
import { mergedValue } from './outbox.ts';

/** What the inbox reports to its bus. */
export interface InboxOwner {
  tried(someoneWatched: boolean): void;
  overflowed(keys: number, members: Iterable<BusMember>): void;
}

export class Inbox {
  readonly #maxKeys: number;
  readonly #owner: InboxOwner;
  readonly #job: Job;
  readonly #pending = new Map<BusMember, Map<string, HintValue | undefined>>();
  #size = 0;

  constructor(maxKeys: number, timer: SystemTimer, owner: InboxOwner) {
    this.#maxKeys = maxKeys;
    this.#owner = owner;
    this.#job = schedulerOf(timer).job({ sliceMs: DEFAULT_SLICE_MS, step: (job) => this.#tryBatch(job) });
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

  /** Has what is pending tried, from the end of this turn on. */
  serve(): void {
    if (this.#size > 0) this.#job.run();
  }

  /** A member has left. */
  drop(member: BusMember): void {
    const keys = this.#pending.get(member);
    if (keys === undefined) return;
    this.#size -= keys.size;
    keys.clear(); // they may be on their way through #tryBatch
    this.#pending.delete(member);
  }

  clear(): void {
    for (const member of this.#pending.keys()) this.drop(member);
  }

  /** A hint may change everything here. So each is taken out before it is tried. */
  #tryBatch(job: Job): boolean {
    for (const [member, keys] of this.#pending) {
      for (const [key, value] of keys) {
        if (job.left <= 0) return true;
        keys.delete(key);
        this.#size--;
        const someoneWatched = member.hinted(key, value, false);
        job.count(1, someoneWatched ? 1 : 0);
        this.#owner.tried(someoneWatched);
      }
      if (this.#pending.get(member) === keys) this.#pending.delete(member);
    }
    return false;
  }
}
