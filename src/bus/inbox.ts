// The hints from other processes that are to be tried.
//
// Ground rules. Hints are tried by a job of the scheduler, so a flood of them does not block the
// event loop. Hints that arrive meanwhile are merged. When more than `maxPendingKeys` are pending,
// they become one sweep for each of their members.
//
// Costs. O(1) for a hint, and the cost of its tries.

import type { Job } from '../turns/job.ts';
import { DEFAULT_SLICE_MS, schedulerOf } from '../turns/scheduler.ts';
import type { BusBase } from './bus-base.ts';
import type { Members } from './members.ts';
import type { BusMember } from './membership/bus-member.ts';
import { type PendingHint, PendingHints } from './pending-hints.ts';

export class Inbox {
  readonly #base: BusBase;
  readonly #members: Members;
  readonly #job: Job;
  readonly #pending = new PendingHints();

  constructor(base: BusBase, members: Members) {
    this.#base = base;
    this.#members = members;
    const step = (job: Job): boolean => this.#tryBatch(job);
    this.#job = schedulerOf(base.timer).job({ sliceMs: DEFAULT_SLICE_MS, step });
  }

  add(hint: PendingHint): void {
    this.#pending.add(hint);
    const { size } = this.#pending;
    if (size <= this.#base.options.maxPendingKeys) return;
    const { members } = this.#pending;
    this.clear();
    this.#base.meter.didOverflow('in', size);
    for (const member of members) this.#members.sweep(member);
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

  /** A try may change everything here. So each hint is taken out before it. */
  #tryBatch(job: Job): boolean {
    const attempt = ({ member, key, value }: PendingHint): void => {
      const someoneWatched = member.hinted(key, value);
      job.count(1, someoneWatched ? 1 : 0);
      if (!someoneWatched) this.#base.meter.counts.forNobody++;
    };
    return this.#pending.take(() => job.left > 0, attempt);
  }
}
