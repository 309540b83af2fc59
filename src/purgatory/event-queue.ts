// The events of `notify`: which keys are to be served, in which order, and the barriers that wait
// for that.
//
// Ground rules. It belongs to one purgatory. A notified key is pending until its pass begins, and
// is served in the order of its first notify. A pass that does not fit in a batch is held, and goes
// on in later ones. Pending keys and held passes take turns, a batch each. A pending key whose pass
// is held becomes one more pass behind it, which takes later events too: it never begins anew. A
// barrier (`served`) stands among the pending keys. When its turn comes, all passes of the keys
// before it have begun. Then it waits for those that are held. Barriers end in their order.
// An event that nobody waits for is no event.
// Costs. add, served: O(1). isStillDue: O(keys of the operation), and a try.
import type { Job } from '../turns/job.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import type { Parking, PendingEvents } from './parking.ts';
import type { Begun, Passes, PendingKeys } from './passes.ts';
import { type EventsSnapshot, oldestPass } from './telemetry/purgatory-snapshot.ts';
import { isOver, type Pass, type Watchers } from './watchers.ts';

/** Held passes of what was notified between two barriers. */
interface Group {
  passes: number;
}

class Barrier {
  resolve!: () => void;
  readonly promise = new Promise<void>((resolve) => {
    this.resolve = resolve;
  });
  /** What was held of the events before it when its turn came. */
  group: Group | undefined;
}

/** A key whose pass is held. */
interface Held {
  /** Undefined: it is over, and one more is to begin. */
  pass: Pass | undefined;
  group: Group;
  /** How many the pass after it may complete; 0: there is none. */
  again: number;
  againGroup: Group;
  /** The reading before its second part, in ms. Infinity before that. */
  sinceMs: number;
}

/** As a Map compares keys. */
const isSame = (key: unknown, other: unknown): boolean => key === other || Object.is(key, other);

export class EventQueue<K> implements PendingEvents, PendingKeys {
  readonly #parking: Parking<K, Watchers<K>>;
  readonly #passes: Passes<K>;
  readonly #job: Job;
  /** Keys, with how many the pass of each may complete, and barriers, in the order of their turns. */
  readonly #pending = new Map<K | Barrier, number>();
  #order = this.#pending.keys();
  /** The first of them, once it was looked for. */
  #next: IteratorYieldResult<K | Barrier> | undefined;
  /** The last of them, if it is a barrier. */
  #lastBarrier: Barrier | undefined;
  /** How many keys are pending, and how many of them have waited for a turn since when, in ms. */
  #size = 0;
  #waiting = 0;
  #waitingSinceMs = 0;
  readonly #held = new Map<K, Held>();
  /** The held passes that have their turns before the first has its next one. */
  #turns = this.#held.entries();
  #isFreshNext = true;
  /**
   * Whether a pass runs its first part; its key, and that pass, unless a lone watcher needs none.
   */
  #isFirst = false;
  #firstKey: K | undefined;
  #firstPass: Pass | undefined;
  /** The held key whose next pass begins. */
  #resumed: Held | undefined;
  #group: Group = { passes: 0 };
  /** Barriers whose turn has come. */
  #barriers: Barrier[] = [];
  #longestMs = 0;

  constructor(parking: Parking<K, Watchers<K>>, passes: Passes<K>, sliceMs: number) {
    this.#parking = parking;
    this.#passes = passes;
    this.#job = parking.scheduler.job({ sliceMs, step: this.#serveBatch, didYield: () => this.#didYield() });
    parking.events = this;
  }

  /**
   * An event on `key` that may complete `limit` operations. It is over in the call if nobody waits
   * for it: what is parked later has its tries then.
   */
  add(key: K, limit: number): void {
    const held = this.#held.size === 0 ? undefined : this.#held.get(key);
    if (held !== undefined && held.again > 0) {
      held.again += limit; // that pass has yet to begin
      return;
    }
    const before = this.#pending.get(key);
    if (before === undefined) {
      const isUnderWay = held !== undefined || this.#begins(key);
      if (!isUnderWay && this.#parking.lists.find(key) === undefined) return;
      this.#size++;
      this.#lastBarrier = undefined;
    }
    this.#pending.set(key, before === undefined ? limit : before + limit);
    this.#job.wake();
  }

  /** Resolves when all that was added before has been served. */
  served(): Promise<void> {
    if (!this.#job.isUnderWay || this.#parking.isClosed) return Promise.resolve();
    if (this.#lastBarrier === undefined) {
      this.#lastBarrier = new Barrier();
      this.#pending.set(this.#lastBarrier, 0);
    }
    return this.#lastBarrier.promise;
  }

  /** Drops all events. Their barriers resolve. */
  clear(): void {
    for (const key of this.#pending.keys()) if (key instanceof Barrier) this.#barriers.push(key);
    this.#pending.clear();
    this.#next = undefined;
    this.#lastBarrier = undefined;
    this.#size = 0;
    for (const barrier of this.#barriers.splice(0)) barrier.resolve();
    const { lists } = this.#parking;
    for (const { pass } of this.#held.values()) if (pass !== undefined) lists.release(pass);
    this.#held.clear();
  }

  /**
   * The deadline of `operation` has come: true iff it is to expire. While an event on one of its
   * keys is pending or under way, it is tried first. That try is user code, which may take it out.
   */
  isStillDue(operation: DelayedOperation): boolean {
    if (!this.#job.isUnderWay) return true;
    for (const key of this.#parking.lists.keysOf(operation, Number.POSITIVE_INFINITY)) {
      const parking = this.#parking;
      if (!this.#isDue(key)) continue;
      const outer = parking.expiring;
      parking.expiring = operation;
      if (parking.tryAgain(operation, key)) this.#countDeadline(key);
      const isStillDue = parking.expiring === operation;
      parking.expiring = outer;
      return isStillDue;
    }
    return true;
  }

  /** Whether an event on `key` is pending or under way. */
  #isDue(key: K): boolean {
    return this.#begins(key) || this.#held.has(key) || this.#pending.has(key);
  }

  /** A deadline has completed one for the event on `key`: it counts as one of its limit. */
  #countDeadline(key: K): void {
    const held = this.#held.get(key);
    const isFirst = this.#begins(key);
    const pass = isFirst ? this.#firstPass : held?.pass;
    if (pass !== undefined) this.#passes.countDeadline(pass);
    else if (isFirst) return;
    else if (held !== undefined) {
      if (--held.again === 0) this.#end(key, held, 0);
    } else this.#countPending(key);
  }

  #countPending(key: K): void {
    const limit = this.#pending.get(key);
    if (limit === undefined) return;
    if (limit > 1) {
      this.#pending.set(key, limit - 1);
      return;
    }
    if (this.#next !== undefined && isSame(this.#next.value, key)) this.#next = undefined;
    this.#takeOut(key);
  }

  /** Whether the pass of `key` runs its first part. */
  #begins(key: K): boolean {
    return this.#isFirst && isSame(key, this.#firstKey);
  }

  snapshot(nowMs: number): EventsSnapshot {
    const oldest = oldestPass(this.#held, nowMs);
    return {
      pendingKeys: this.#size,
      passesUnderWay: this.#held.size,
      oldestMs: Math.max(0, this.#waiting > 0 ? nowMs - this.#waitingSinceMs : 0, oldest?.ageMs ?? 0),
      oldestPass: oldest,
      longestPassMs: this.#longestMs,
      tryMs: this.#job.stepMs,
    };
  }

  #didYield(): void {
    if (this.#waiting === 0) {
      this.#waiting = this.#size;
      this.#waitingSinceMs = this.#job.lastMs;
    }
    if (this.#size + this.#held.size > 0) this.#parking.meter.didSlice(this.#size, this.#held.size);
  }

  /** A batch of pending keys, or of one held pass. Returns whether anything is left. */
  readonly #serveBatch = (job: Job): boolean => {
    const isFresh = this.#pending.size > 0 && (this.#isFreshNext || this.#held.size === 0);
    this.#isFreshNext = !isFresh;
    const outer = this.#parking.beginEvent();
    try {
      if (isFresh) this.#servePending(job);
      else if (this.#held.size > 0) this.#serveHeld(job);
    } finally {
      this.#parking.endEvent(outer);
    }
    return this.#pending.size + this.#held.size > 0;
  };

  #servePending(job: Job): void {
    let left = this.#pending.size;
    while (this.#pending.size > 0 && job.left > 0) {
      if (left-- <= 0) {
        if (job.isVain) return; // a condition may notify its own key without end
        left = this.#pending.size;
      }
      const key = this.#first();
      const held = this.#held.size === 0 ? undefined : this.#held.get(key as K);
      if (key instanceof Barrier) this.#reach(key);
      else if (held !== undefined) this.#addAgain(key, held);
      else if (!this.#begin(key, this.#pending.get(key) as number, job)) return;
    }
  }

  /** What is pending has its turn. */
  #first(): K | Barrier {
    if (this.#next === undefined) {
      let next = this.#order.next();
      if (next.done) {
        this.#order = this.#pending.keys();
        next = this.#order.next();
      }
      this.#next = next as IteratorYieldResult<K | Barrier>;
    }
    return this.#next.value;
  }

  #reach(barrier: Barrier): void {
    this.#next = undefined;
    this.#pending.delete(barrier);
    if (this.#lastBarrier === barrier) this.#lastBarrier = undefined;
    barrier.group = this.#group;
    this.#barriers.push(barrier);
    this.#group = { passes: 0 };
    this.#endBarriers();
  }

  #endBarriers(): void {
    let ended = 0;
    while (this.#barriers[ended]?.group?.passes === 0) this.#barriers[ended++].resolve();
    if (ended > 0) this.#barriers.splice(0, ended);
  }

  #addAgain(key: K, held: Held): void {
    const limit = this.#pending.get(key) as number;
    this.#next = undefined;
    this.#takeOut(key);
    held.again = limit;
    held.againGroup = this.#group;
    this.#group.passes++;
  }

  /** Returns false if the pass needs a batch of its own. */
  #begin(key: K, limit: number, job: Job): boolean {
    const begun = this.#firstPart(key, limit, job);
    if (begun === 'later') return false;
    if (begun === 'over') return true;
    const group = this.#group;
    group.passes++;
    const held = { pass: begun, group, again: 0, againGroup: group, sinceMs: Number.POSITIVE_INFINITY };
    this.#held.set(key, held);
    return true;
  }

  #firstPart(key: K, limit: number, job: Job): Begun {
    this.#firstKey = key;
    const begun = this.#passes.begin(key, limit, job, this);
    this.#isFirst = false;
    this.#firstKey = undefined;
    this.#firstPass = undefined;
    if (typeof begun !== 'object' || !this.#parking.isClosed) return begun;
    this.#parking.lists.release(begun);
    return 'over';
  }

  take(pass: Pass | undefined): void {
    this.#isFirst = true;
    this.#firstPass = pass;
    if (this.#resumed !== undefined) {
      this.#resumed.again = 0;
      return;
    }
    this.#next = undefined;
    this.#takeOut(this.#firstKey as K);
  }

  #takeOut(key: K): void {
    this.#pending.delete(key);
    this.#size--;
    if (this.#waiting > 0) this.#waiting--;
  }

  #serveHeld(job: Job): void {
    let next = this.#turns.next();
    if (next.done) {
      this.#turns = this.#held.entries();
      next = this.#turns.next();
    }
    const [key, held] = next.value as [K, Held];
    if (held.pass !== undefined) {
      held.sinceMs = Math.min(held.sinceMs, job.lastMs);
      this.#passes.resume(held.pass, key, job);
    } else {
      this.#resumed = held;
      const begun = this.#firstPart(key, held.again, job);
      this.#resumed = undefined;
      if (begun === 'later') return;
      if (typeof begun === 'object') held.pass = begun;
    }
    if (this.#held.get(key) !== held) return; // user code has closed the purgatory
    if (held.pass === undefined || isOver(held.pass)) this.#end(key, held, job.lastMs);
  }

  #end(key: K, held: Held, nowMs: number): void {
    this.#longestMs = Math.max(this.#longestMs, nowMs - held.sinceMs);
    held.group.passes--;
    held.group = held.againGroup;
    held.pass = undefined;
    held.sinceMs = Number.POSITIVE_INFINITY;
    if (held.again === 0) this.#held.delete(key);
    this.#endBarriers();
  }
}
