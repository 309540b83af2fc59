// The events of `notify` that have yet to be answered, and how they are answered fairly.
//
// Ground rules. It belongs to one purgatory. A notified key is pending until its pass begins, at
// the end of the turn. Any number of notifies until then are one pass. A pass that does not fit in
// a batch is held: it goes on in later batches (turns/job.ts). A notify of its key causes one
// more pass after it, however often, and never restarts it: the youngest would starve. Fresh keys
// and passes that are held take turns, a batch each, so a small key does not wait behind a hot one.
//
// A condition that notifies its own key causes rounds without end that complete nothing. So such a
// round ends its batch: the scheduler counts those in vain.
//
// Pending keys are served in rounds: what is notified meanwhile is the next round (rounds.ts).
//
// Costs. add: O(1).

import type { Job } from '../turns/job.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import type { EventsToCome } from './events-in-time.ts';
import type { Parking } from './parking.ts';
import type { HeldPass, Passes, Round } from './passes.ts';
import { Rounds } from './rounds.ts';
import { Served } from './served.ts';
import { type EventsSnapshot, oldestPass } from './telemetry/events-snapshot.ts';
import type { Watchers } from './watchers/watchers.ts';

/** A pass that is held, with what was notified since it began. */
interface Held extends HeldPass {
  /** How many the pass after it may complete; 0: there is none. */
  again: number;
  /** The reading before its second part, in ms. Infinity before that. */
  sinceMs: number;
}

export class EventQueue<K> implements EventsToCome, Round {
  readonly #parking: Parking<K, Watchers<K>>;
  readonly #passes: Passes<K>;
  readonly #job: Job;
  /** Keys whose pass has not begun. */
  readonly #pending = new Rounds<K>();
  /** Keys whose pass is under way, the one whose turn is next first. */
  readonly #held = new Map<K, Held>();
  /**
   * The key whose pass runs its first part, if one does: it is neither pending nor held then. And
   * that pass, unless a lone watcher needs none.
   */
  readonly #begun: { isUnderWay: boolean; key: K | undefined; pass: HeldPass | undefined } = {
    isUnderWay: false,
    key: undefined,
    pass: undefined,
  };
  readonly #served = new Served();
  #isFreshNext = true;
  /** When the last slice ended with something left to do, in ms. */
  #pendingSinceMs = Number.POSITIVE_INFINITY;
  #longestMs = 0;

  constructor(parking: Parking<K, Watchers<K>>, passes: Passes<K>, sliceMs: number) {
    this.#parking = parking;
    this.#passes = passes;
    const step = (job: Job): boolean => this.#serveBatch(job);
    this.#job = parking.scheduler.job({ sliceMs, step, didYield: () => this.#didYield() });
    parking.inTime.events = this;
  }

  /** An event on `key` that may complete `limit` operations. */
  add(key: K, limit: number): void {
    const held = this.#held.size > 0 ? this.#held.get(key) : undefined;
    if (held !== undefined) {
      held.again += limit;
      return;
    }
    this.#pending.add(key, limit);
    this.#job.wake();
  }

  /** Drops all events. Who waits for them waits no longer. */
  clear(): void {
    this.#pending.clear();
    for (const { pass } of this.#held.values()) this.#parking.lists.release(pass);
    this.#held.clear();
    this.#served.clear();
  }

  /** Resolves when all that was added before has been served. O(keys). */
  served(): Promise<void> {
    if (this.#isIdle && !this.#begun.isUnderWay) return Promise.resolve();
    const passes = new Map<unknown, number>();
    if (this.#begun.isUnderWay) passes.set(this.#begun.key, 1);
    for (const key of this.#pending.keys()) passes.set(key, this.#begins(key) ? 2 : 1);
    for (const [key, { again }] of this.#held) passes.set(key, again > 0 ? 2 : 1);
    return this.#served.wait(passes);
  }

  keyToCome(operation: DelayedOperation): { readonly key: K } | undefined {
    if (this.#isIdle && !this.#begun.isUnderWay) return undefined;
    for (const key of this.#parking.lists.keysOf(operation, Number.POSITIVE_INFINITY)) {
      if (this.#pending.has(key) || this.#held.has(key) || this.#begins(key)) return { key };
    }
    return undefined;
  }

  /** Whether the pass of `key` runs its first part. */
  #begins(key: K): boolean {
    const begun = this.#begun;
    return begun.isUnderWay && (key === begun.key || Object.is(key, begun.key));
  }

  didComplete(key: K): void {
    const begins = this.#begins(key);
    const pass = begins ? this.#begun.pass : this.#held.get(key);
    if (pass !== undefined) this.#passes.countDeadline(pass);
    else if (!begins && this.#pending.has(key) && this.#pending.useUp(key)) this.#served.didEnd(key);
  }

  snapshot(nowMs: number): EventsSnapshot {
    const oldest = oldestPass(this.#held, nowMs);
    const pendingMs = this.#pending.size > 0 ? nowMs - this.#pendingSinceMs : 0;
    return {
      pendingKeys: this.#pending.size,
      passesUnderWay: this.#held.size,
      oldestMs: Math.max(0, pendingMs, oldest?.ageMs ?? 0),
      oldestPass: oldest,
      longestPassMs: this.#longestMs,
      tryMs: this.#job.stepMs,
    };
  }

  get #isIdle(): boolean {
    return this.#pending.size + this.#held.size === 0;
  }

  /** A batch of fresh keys, or of one pass that is held. Returns whether anything is left. */
  #serveBatch(job: Job): boolean {
    const isFresh = this.#pending.size > 0 && (this.#isFreshNext || this.#held.size === 0);
    this.#isFreshNext = !isFresh;
    const { bulks } = this.#parking;
    const outer = bulks.begin();
    try {
      if (isFresh) this.#serveFresh(job);
      else if (this.#held.size > 0) this.#serveHeld(job);
    } finally {
      bulks.end(outer);
    }
    if (!this.#isIdle) return true;
    this.#pending.endRounds();
    this.#pendingSinceMs = Number.POSITIVE_INFINITY;
    return false;
  }

  /** Whether what is served now began in an earlier turn. */
  get #hasYielded(): boolean {
    return this.#pendingSinceMs < Number.POSITIVE_INFINITY;
  }

  #didYield(): void {
    if (this.#isIdle) return; // closed meanwhile
    if (!this.#hasYielded) this.#pendingSinceMs = this.#job.lastMs;
    this.#parking.meter.didSlice(this.#pending.size, this.#held.size);
  }

  /** What was notified during the last round is the next one. */
  #startRound(): void {
    this.#pending.startRound();
    if (this.#hasYielded) this.#pendingSinceMs = this.#job.lastMs;
  }

  take(pass: HeldPass | undefined): void {
    this.#begun.pass = pass;
    this.#pending.take();
  }

  #serveFresh(job: Job): void {
    const pending = this.#pending;
    while (pending.size > 0) {
      if (pending.isRoundOver) this.#startRound();
      const key = pending.first();
      const limit = pending.limitOf(key);
      const first = this.#begun;
      first.isUnderWay = true;
      first.key = key;
      const begun = this.#passes.begin(key, limit, job, this);
      first.isUnderWay = false;
      first.key = undefined;
      first.pass = undefined;
      if (begun === 'later') return;
      if (typeof begun === 'number') {
        this.#served.didEnd(key);
      } else {
        this.#hold(key, begun);
      }
      if (job.left <= 0 || (pending.isRoundOver && job.isVain)) return;
    }
  }

  #hold(key: K, begun: HeldPass): void {
    if (this.#parking.isClosed) {
      this.#parking.lists.release(begun.pass);
      return;
    }
    const again = this.#pending.remove(key); // its own first part may have notified it
    const sinceMs = Number.POSITIVE_INFINITY; // not known yet
    this.#held.set(key, Object.assign(begun, { again, sinceMs }));
  }

  #serveHeld(job: Job): void {
    const [key, held] = this.#held.entries().next().value as [K, Held];
    held.sinceMs = Math.min(held.sinceMs, job.lastMs);
    this.#passes.resume(held, key, job);
    if (this.#held.get(key) !== held) return; // user code has closed the purgatory
    this.#held.delete(key);
    if (held.pass.next >= 0) {
      this.#held.set(key, held); // behind the others
      return;
    }
    this.#longestMs = Math.max(this.#longestMs, job.lastMs - held.sinceMs);
    if (held.again > 0) this.#pending.add(key, held.again);
    this.#served.didEnd(key);
  }
}
