// Interest routing: which of its keys a member watches, the buckets of those keys that this process
// has subscribed to, and the way there.
//
//   idle ──watched──► wanted ──SUBSCRIBE──► acknowledged ──last watcher left──► lingering
//    ▲                                                                              │ lingerMs
//    └────────────────────────── acknowledged ◄── leaving ◄──UNSUBSCRIBE── to leave ◄┘
//
// Invariants. One command is under way at a time. A key that is watched while its bucket is not
// acknowledged may miss a hint: it is tried at the acknowledgement, and after HOLD_MS already where
// that takes longer. After a break the bus is live once all watched buckets are acknowledged again.
// Costs. watched, unwatched: O(length of the key). 400 kB for each bus with interest routing.

import type { TimerTask } from '../../timer/timer-task.ts';
import type { BusBase } from '../bus-base.ts';
import type { Connection } from '../connection.ts';
import type { BusMember, KeyInterest } from '../membership/bus-member.ts';
import { BUCKETS, bucketOf, seedOf } from './buckets.ts';

/** A command of one channel costs 19 us a channel, one of 512 costs 6. */
const BATCH = 512;
/** How long a key waits for its acknowledgement before it is tried without it. */
const HOLD_MS = 100;

const IDLE = 0;
/** Its command is under way. */
const CHANGING = 1;
const ACKNOWLEDGED = 2;

/** A key that is to be tried, as if another process had published it. */
export type KeyTry = readonly [member: BusMember, key: string];

export class InterestTable {
  readonly #base: BusBase;
  readonly #connection: Connection;
  readonly #try: (tries: readonly KeyTry[]) => void;
  readonly #members = new Map<BusMember, MemberInterest>();
  readonly #states = new Uint8Array(BUCKETS);
  /** Watched keys of each bucket, of all members. */
  readonly #watched = new Uint32Array(BUCKETS);
  readonly #wanted = new Set<number>();
  /** The acknowledged buckets without watchers: waits often come back to the same keys. */
  readonly #lingering = new Map<number, TimerTask>();
  readonly #toLeave = new Set<number>();
  #subscriptions = 0;
  #isUp = false;
  #isCommandUnderWay = false;
  /** The buckets of the SUBSCRIBE under way. */
  #sent = 0;
  /** Sends the next command, in a turn of its own: a batch takes the client some ms. */
  #next: TimerTask | undefined;
  /** The buckets that are to be acknowledged before the bus becomes live. */
  #toRestore = 0;
  #restored: (() => void) | undefined;

  constructor(base: BusBase, connection: Connection, tryKeys: (tries: readonly KeyTry[]) => void) {
    this.#base = base;
    this.#connection = connection;
    this.#try = tryKeys;
  }

  /** Channels that the engine has acknowledged. */
  get subscriptions(): number {
    return this.#subscriptions;
  }

  /** Channels that are wanted, and not acknowledged yet. */
  get pending(): number {
    return this.#wanted.size + this.#sent;
  }

  get isLive(): boolean {
    return this.#connection.state === 'live';
  }

  join(member: BusMember): MemberInterest {
    const interest = new MemberInterest(this, member);
    this.#members.set(member, interest);
    return interest;
  }

  leave(member: BusMember): void {
    this.#members.delete(member);
  }

  /** `key` is watched. Returns the task that tries it, unless its bucket is acknowledged. */
  add(bucket: number, key: KeyTry): TimerTask | undefined {
    const isFirst = this.#watched[bucket]++ === 0;
    if (this.#states[bucket] === ACKNOWLEDGED) {
      if (isFirst) this.#keep(bucket);
      return undefined;
    }
    if (!this.#isUp) return undefined; // the sweep will try it
    if (this.#states[bucket] === IDLE) this.#want(bucket);
    return this.#base.timer.schedule(() => this.#try([key]), HOLD_MS);
  }

  /** A key of it has lost its last watcher. */
  remove(bucket: number): void {
    if (--this.#watched[bucket] > 0) return;
    this.#wanted.delete(bucket);
    if (this.#states[bucket] === ACKNOWLEDGED) this.#linger(bucket);
  }

  /** The connection is up. `done` is called once all watched buckets are acknowledged. */
  restore(done: () => void): void {
    this.#isUp = true;
    for (let bucket = 0; bucket < BUCKETS; bucket++) if (this.#watched[bucket] > 0) this.#wanted.add(bucket);
    this.#toRestore = this.#wanted.size;
    this.#restored = done;
    this.#sendNext();
  }

  /** The connection is gone, and all subscriptions with it. */
  lost(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#next?.cancel();
    this.#isCommandUnderWay = false;
    this.#sent = 0;
    this.#restored = undefined;
    this.#subscriptions = 0;
    this.#states.fill(IDLE);
    this.#wanted.clear();
    for (const bucket of [...this.#lingering.keys(), ...this.#toLeave]) this.#keep(bucket);
    this.#try(this.#heard());
  }

  #want(bucket: number): void {
    this.#wanted.add(bucket);
    this.#sendSoon();
  }

  #linger(bucket: number): void {
    const { timer, options } = this.#base;
    const leave = (): void => {
      this.#lingering.delete(bucket);
      this.#toLeave.add(bucket);
      this.#sendSoon();
    };
    this.#lingering.set(bucket, timer.schedule(leave, options.lingerMs));
  }

  #keep(bucket: number): void {
    this.#lingering.get(bucket)?.cancel();
    this.#lingering.delete(bucket);
    this.#toLeave.delete(bucket);
  }

  #heard(buckets?: readonly number[]): KeyTry[] {
    return [...this.#members.values()].flatMap((interest) => interest.heard(buckets));
  }

  #sendSoon(): void {
    if (!this.#isUp || this.#isCommandUnderWay || this.#next?.isPending) return;
    this.#next = this.#base.timer.schedule(() => this.#sendNext(), 0);
  }

  #sendNext(): void {
    this.#endRestore();
    if (!this.#isUp || this.#isCommandUnderWay) return;
    if (this.#wanted.size > 0) this.#subscribe(this.#takeBatch(this.#wanted));
    else if (this.#toLeave.size > 0) this.#unsubscribe(this.#takeBatch(this.#toLeave));
  }

  #endRestore(): void {
    if (this.#toRestore > 0 && this.pending > 0) return;
    const restored = this.#restored;
    this.#restored = undefined;
    restored?.();
  }

  #takeBatch(from: Set<number>): number[] {
    const buckets: number[] = [];
    for (const bucket of from) if (buckets.push(bucket) === BATCH) break;
    for (const bucket of buckets) {
      from.delete(bucket);
      this.#states[bucket] = CHANGING;
    }
    return buckets;
  }

  #subscribe(buckets: readonly number[]): void {
    this.#sent = buckets.length;
    this.#command('subscribe', buckets, () => {
      this.#sent = 0;
      this.#toRestore -= buckets.length;
      this.#subscriptions += buckets.length;
      for (const bucket of buckets) {
        this.#states[bucket] = ACKNOWLEDGED;
        if (this.#watched[bucket] === 0) this.#linger(bucket);
      }
      const tries = this.#heard(buckets);
      const settleMs = this.#connection.transport.settleMs ?? [];
      for (const ms of settleMs) this.#base.timer.schedule(() => this.#try(tries), ms);
      this.#endRestore();
      this.#try(tries);
    });
  }

  #unsubscribe(buckets: readonly number[]): void {
    this.#subscriptions -= buckets.length;
    this.#command('unsubscribe', buckets, () => {
      for (const bucket of buckets) {
        this.#states[bucket] = IDLE;
        if (this.#watched[bucket] > 0) this.#want(bucket);
      }
    });
  }

  #command(what: 'subscribe' | 'unsubscribe', buckets: readonly number[], done: () => void): void {
    this.#isCommandUnderWay = true;
    this.#connection.command(what, buckets.map(String), () => {
      this.#isCommandUnderWay = false;
      done();
      if (this.#wanted.size + this.#toLeave.size > 0) this.#sendSoon();
    });
  }
}

/** A member's end: which of its keys are watched, and which of those are to be tried. */
export class MemberInterest implements KeyInterest {
  readonly #table: InterestTable;
  readonly #member: BusMember;
  readonly #seed: number;
  /** By bucket and key: the task that tries the key after HOLD_MS. */
  readonly #unheard = new Map<number, Map<string, TimerTask>>();

  constructor(table: InterestTable, member: BusMember) {
    this.#table = table;
    this.#member = member;
    this.#seed = seedOf(member.name);
  }

  watched(key: string): void {
    const bucket = bucketOf(this.#seed, key);
    const tried = this.#table.add(bucket, [this.#member, key]);
    if (tried === undefined) return;
    const keys = this.#unheard.get(bucket);
    if (keys === undefined) this.#unheard.set(bucket, new Map([[key, tried]]));
    else keys.set(key, tried);
  }

  unwatched(key: string): void {
    const bucket = bucketOf(this.#seed, key);
    const keys = this.#unheard.get(bucket);
    keys?.get(key)?.cancel();
    if (keys?.delete(key) && keys.size === 0) this.#unheard.delete(bucket);
    this.#table.remove(bucket);
  }

  isHeld(key: string): boolean {
    const tried = this.#unheard.get(bucketOf(this.#seed, key))?.get(key);
    return this.#table.isLive && tried?.isPending === true;
  }

  /** The keys of `buckets`, by default of all, that are to be tried now. It forgets them. */
  heard(buckets: Iterable<number> = [...this.#unheard.keys()]): KeyTry[] {
    const tries: KeyTry[] = [];
    for (const bucket of buckets) {
      for (const [key, tried] of this.#unheard.get(bucket) ?? []) {
        tried.cancel();
        tries.push([this.#member, key]);
      }
      this.#unheard.delete(bucket);
    }
    return tries;
  }
}
