// The events of a purgatory: those in the call, and those of `notify`, which are served in fair
// rotation.
//
//   notify ─► pending keys ─► a pass ─► over
//                               │ ▲
//                               ▼ │    a part a batch, if it does not fit in one
//                             held passes
//
// Ground rules. A notified key is pending until its pass begins, in the order of the first notify.
// A pass over several watchers is held from its beginning to its end. Pending keys and held passes
// alternate, a batch each. A key that is notified while its pass is held becomes one more pass
// behind it, which takes later events too: the pass never begins anew. Events are numbered, so that
// `served` knows when those before it are over. An event that nobody waits for is none.
// Costs. add, served: O(1). isStillDue: O(keys of the operation), and a try.
import type { Slot } from '../slab/slab.ts';
import { Fifo } from '../turns/fifo.ts';
import type { Job } from '../turns/scheduler.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import { ALL } from './event-limit.ts';
import type { Parking, PendingEvents } from './parking.ts';
import { NO_EVENT, Pass, reportedTry } from './passes.ts';
import { PendingKeys } from './pending-keys.ts';
import { type EventsSnapshot, oldestPass, slowTry } from './telemetry/purgatory-snapshot.ts';
import type { Watchers } from './watchers.ts';

/** Waits until the events up to a number are over. */
interface Barrier {
  readonly number: number;
  readonly resolve: () => void;
}

export class EventQueue<K> implements PendingEvents {
  readonly #parking: Parking<K, Watchers<K>>;
  readonly #job: Job;
  readonly #pending = new PendingKeys<K>();
  /** The key of the event that begins: its first part runs. None, or one. */
  readonly #begun: K[] = [];
  /**
   * By key: one that is under way, or, when that is over, the next one. In the order in which they
   * have their next batch.
   */
  readonly #held: Map<K, Pass<K>>;
  #isFreshNext = true;
  /** Since when the pending keys up to a number have waited, in ms. */
  #waiting = { upTo: 0, sinceMs: 0 };
  /** Of `served`, in the order of the calls. */
  readonly #barriers = new Fifo<Barrier>();
  #longestMs = 0;
  #slowTry: EventsSnapshot['slowTry'] = null;

  constructor(parking: Parking<K, Watchers<K>>, sliceMs: number) {
    this.#parking = parking;
    this.#job = parking.scheduler.job({
      sliceMs,
      doBatch: this.#serveBatch,
      didYield: () => this.#didYield(),
      wasSlow: (tryMs, key) => {
        this.#slowTry = slowTry(key, tryMs, this.#job.lastMs, parking.lists);
      },
    });
    this.#held = parking.lists.held;
    parking.events = this;
  }

  /**
   * An event on `key` in the call; returns how many completed. While an event on the key is under
   * way in this call, it is served at the end of the turn instead: as deep as the keys allow, and no
   * deeper.
   */
  now(key: K, limit: number): number {
    const parking = this.#parking;
    if (parking.underWay.length > 0 && parking.underWay.includes(key)) {
      this.add(key, limit);
      return 0;
    }
    parking.eventsCaused++;
    const { lists } = parking;
    const slot = lists.find(key);
    if (slot === undefined) return 0;
    const only = lists.loneWatcher(slot);
    if (only !== undefined) return parking.tryParked(only, key) ? 1 : 0;
    const pass = new Pass(key, limit);
    lists.begin(pass, slot);
    return this.#walk(pass, ALL, ALL);
  }

  /** An event on `key`, at the end of the turn, that may complete `limit` operations. */
  add(key: K, limit: number): void {
    this.#parking.eventsCaused++;
    const pass = this.#held.size === 0 ? undefined : this.#held.get(key);
    const owed = pass?.hasBegun === false ? pass : pass?.after;
    if (owed !== undefined) {
      owed.allow(limit);
    } else if (this.#parking.lists.find(key) !== undefined || this.#isDue(key)) {
      this.#pending.allow(key, limit);
      this.#job.wake();
    }
  }

  /** Resolves when all that was added before has been served, or at `clear`. */
  served(): Promise<void> {
    if (!this.#job.isUnderWay || this.#parking.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#barriers.push({ number: this.#pending.last, resolve });
    });
  }

  /** Drops all events. The passes are over: nobody is parked any more. */
  clear(): void {
    this.#pending.clear();
    this.#held.clear();
    this.#endBarriers();
  }

  isStillDue(operation: DelayedOperation): boolean {
    if (!this.#job.isUnderWay) return true;
    const parking = this.#parking;
    for (const key of parking.lists.keysOf(operation, Number.POSITIVE_INFINITY)) {
      if (!this.#isDue(key)) continue;
      if (parking.tryParked(operation, key)) this.#countDeadline(key);
      if (!parking.isExpiring(operation)) return false;
    }
    return true;
  }

  /** Whether an event on `key` is pending or under way. */
  #isDue(key: K): boolean {
    return this.#begun.includes(key) || this.#held.has(key) || this.#pending.has(key);
  }

  /** A deadline has completed one for the event on `key`: it counts as one of its limit. */
  #countDeadline(key: K): void {
    if (this.#begun.includes(key)) {
      const [outermost] = this.#parking.lists.nested;
      if (outermost?.isByNotify) outermost.countCompletion();
      return;
    }
    const pass = this.#held.get(key);
    if (pass === undefined) {
      this.#pending.countCompletion(key);
    } else {
      pass.countCompletion();
      if (pass.limitLeft <= 0 && !pass.hasBegun) this.#held.delete(key);
    }
  }

  snapshot(nowMs: number): EventsSnapshot {
    const held = this.#held;
    const oldest = oldestPass(held.values(), nowMs);
    const { upTo, sinceMs } = this.#waiting;
    const isWaiting = this.#pending.size > 0 && this.#pending.taken < upTo;
    return {
      pendingKeys: this.#pending.size,
      oldestMs: Math.max(0, isWaiting ? nowMs - sinceMs : 0, oldest?.ageMs ?? 0),
      oldestPass: oldest,
      longestPassMs: this.#longestMs,
      tryMs: this.#job.stepMs,
      slowTry: this.#slowTry,
    };
  }

  #didYield(): void {
    const { size, taken, last } = this.#pending;
    if (taken >= this.#waiting.upTo) this.#waiting = { upTo: last, sinceMs: this.#job.lastMs };
    if (size + this.#held.size > 0) this.#parking.meter.didSlice(size);
  }

  /** A batch of pending keys, or of one held pass. Returns whether anything is left. */
  readonly #serveBatch = (job: Job): boolean => {
    const isFresh = this.#pending.size > 0 && (this.#isFreshNext || this.#held.size === 0);
    this.#isFreshNext = !isFresh;
    this.#parking.underWay.push(NO_EVENT);
    try {
      if (isFresh) this.#servePending(job);
      else if (this.#held.size > 0) this.#serveHeld(job);
    } finally {
      this.#parking.endEvent();
    }
    if (this.#barriers.size > 0) this.#endBarriers();
    return this.#pending.size + this.#held.size > 0;
  };

  #servePending(job: Job): void {
    const pending = this.#pending;
    let left = pending.size;
    while (pending.size > 0 && job.stepsLeft > 0) {
      if (left-- <= 0) {
        if (!job.hasAnswered) return; // a condition may notify its own key without end
        left = pending.size;
      }
      if (!this.#serve(pending.next, job)) return;
    }
  }

  /** Serves the next pending key. Returns false if it needs a batch of its own. */
  #serve(key: K, job: Job): boolean {
    const parking = this.#parking;
    const { lists } = parking;
    const pending = this.#pending;
    const before = this.#held.size === 0 ? undefined : this.#held.get(key);
    if (before !== undefined) {
      before.after = new Pass(key, pending.take(key), pending.taken);
      return true;
    }
    const slot = lists.find(key);
    const only = slot === undefined ? undefined : lists.loneWatcher(slot);
    if (slot !== undefined && only === undefined && needsOwnBatch(lists.sizeOf(slot), job)) return false;
    const limit = pending.take(key);
    job.subject = key;
    this.#begun.push(key);
    try {
      if (slot === undefined) job.count(1, 0);
      else if (only === undefined) this.#begin(new Pass(key, limit, pending.taken), slot, job);
      else this.#count(job, 1, parking.tryParked(only, key) ? 1 : 0);
    } finally {
      this.#begun.pop();
    }
    return true;
  }

  #begin(pass: Pass<K>, slot: Slot, job: Job): void {
    this.#parking.lists.begin(pass, slot);
    this.#goOn(pass, job);
    if (pass.isOver) return;
    pass.sinceMs = job.lastMs;
    this.#held.set(pass.key, pass);
  }

  #serveHeld(job: Job): void {
    const [pass] = this.#held.values();
    const { key } = pass;
    job.subject = key;
    this.#held.delete(key);
    this.#held.set(key, pass); // behind the others
    if (!pass.hasBegun) {
      const slot = this.#parking.lists.find(key);
      if (slot !== undefined) this.#parking.lists.begin(pass, slot);
      pass.sinceMs = job.lastMs;
    }
    this.#goOn(pass, job);
    if (!pass.isOver || this.#held.get(key) !== pass) return; // user code may have closed it
    this.#longestMs = Math.max(this.#longestMs, job.lastMs - (pass.sinceMs ?? job.lastMs));
    if (pass.after === undefined) this.#held.delete(key);
    else this.#held.set(key, pass.after);
  }

  /** As far as the batch of `job` allows. */
  #goOn(pass: Pass<K>, job: Job): void {
    const before = pass.tried;
    const completed = this.#walk(pass, job.answersLeft, job.stepsLeft);
    this.#count(job, pass.tried - before, completed);
  }

  /** Tries that have returned a promise go on in microtasks. */
  #count(job: Job, tried: number, completed: number): void {
    job.count(tried, completed);
    if (this.#parking.meter.openTries.size > 0) job.needsMicrotasks = true;
  }

  /** Tries the next `steps` of `pass` until `most` have completed; how many did. */
  #walk(pass: Pass<K>, most: number, steps: number): number {
    const parking = this.#parking;
    const { lists, meter } = parking;
    const { key } = pass;
    const { hasTryListener } = meter; // asked once: a pass tries many
    let completed = 0;
    let tried = 0;
    lists.nested.push(pass);
    parking.underWay.push(key);
    try {
      while (pass.nextSlot >= 0 && tried < steps) {
        tried++;
        const operation = lists.nextOf(pass);
        if (hasTryListener && !meter.willTry(operation, key, parking)) continue;
        if (!reportedTry(operation, parking, key)) continue;
        pass.countCompletion();
        if (++completed >= most) break;
      }
      return completed;
    } finally {
      pass.tried += tried;
      lists.nested.pop();
      parking.endEvent();
    }
  }

  #endBarriers(): void {
    let over = this.#pending.size > 0 ? this.#pending.taken : Number.POSITIVE_INFINITY;
    for (const { number } of this.#held.values()) over = Math.min(over, number - 1);
    const barriers = this.#barriers;
    while (barriers.first !== undefined && barriers.first.number <= over) barriers.take().resolve();
  }
}

/** Whether a pass over so many fits in a batch, but not in the rest of this one. */
function needsOwnBatch(watchers: number, job: Job): boolean {
  return watchers > Math.min(job.stepsLeft, job.answersLeft) && watchers <= job.mostAnswers;
}
