// The hints from other processes that are to be tried.
//
// Ground rules. Hints are tried by a job of the scheduler, so a flood of them does not block the
// event loop. Hints that arrive meanwhile are merged. When more than `maxKeys` are pending, they
// become one sweep for each of their members.
//
// Costs. O(1) for a hint, and the cost of its tries.

import type { SystemTimer } from '../timer/system-timer.ts';
import type { Job } from '../turns/job.ts';
import { DEFAULT_SLICE_MS, schedulerOf } from '../turns/scheduler.ts';
import type { BusMember } from './membership/bus-member.ts';
import { type PendingHint, PendingHints } from './pending-hints.ts';

/** What the inbox reports to its bus. */
export interface InboxOwner {
  tried(someoneWatched: boolean): void;
  overflowed(keys: number, members: readonly BusMember[]): void;
}

export class Inbox {
  readonly #maxKeys: number;
  readonly #owner: InboxOwner;
  readonly #job: Job;
  readonly #pending = new PendingHints();

  constructor(maxKeys: number, timer: SystemTimer, owner: InboxOwner) {
    this.#maxKeys = maxKeys;
    this.#owner = owner;
    this.#job = schedulerOf(timer).job({ sliceMs: DEFAULT_SLICE_MS, step: (job) => this.#tryBatch(job) });
  }

  add(hint: PendingHint): void {
    this.#pending.add(hint);
    const { size } = this.#pending;
    if (size <= this.#maxKeys) return;
    const { members } = this.#pending;
    this.clear();
    this.#owner.overflowed(size, members);
  }

  /** Has what is pending tried, from the end of this turn on. */
  serve(): void {
    if (this.#pending.size > 0) this.#job.run();
  }

  /** A member has left. */
  drop(member: BusMember): void {
    this.#pending.drop(member);
  }

  clear(): void {
    this.#pending.clear();
  }

  /** A hint may change everything here. So each is taken out before it is tried. */
  #tryBatch(job: Job): boolean {
    for (const hint of this.#pending) {
      if (job.left <= 0) return true;
      this.#pending.delete(hint);
      const someoneWatched = hint.member.hinted(hint.key, hint.value);
      job.count(1, someoneWatched ? 1 : 0);
      this.#owner.tried(someoneWatched);
    }
    return false;
  }
}
