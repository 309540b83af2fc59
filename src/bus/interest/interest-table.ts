// The buckets that this process has subscribed to, and the way there.
//
//   idle ──watched──► wanted ──SUBSCRIBE──► sent ──acknowledged──► acknowledged
//    ▲                                                                  │ last watcher left
//    └──acknowledged── leaving ◄──UNSUBSCRIBE── lingering for lingerMs ◄┘
//
// Ground rules. It owns the state of each bucket, and how many keys are watched in it. One command
// is under way at a time, of BATCH channels at most. So a bucket that is left and taken again needs
// no care: the engine sees the commands in their order. The keys that were watched before the
// acknowledgement are tried once at it. A bucket counts as not subscribed from the moment that the
// UNSUBSCRIBE is sent. A break ends all subscriptions. Then all watched buckets are subscribed
// before the bus becomes live; the sweep that follows tries everything.
//
// Costs. add, remove: O(1). 400 kB for each bus with interest routing.

import { TurnEnd } from '../../clock/later.ts';
import { rootContext } from '../../clock/root-context.ts';
import type { SystemTimer } from '../../timer/system-timer.ts';
import type { Connection } from '../connection.ts';
import type { BusMember } from '../membership/bus-member.ts';
import { BUCKETS } from './buckets.ts';
import { Lingering } from './lingering.ts';
import { type KeyTry, type MemberInterest, MemberInterests } from './member-interest.ts';

/** A command of one channel costs 19 us a channel, one of 512 costs 6. */
const BATCH = 512;
/** A key that waited so long is tried without its acknowledgement, and once more at it. */
const HOLD_MS = 100;

const IDLE = 0;
const WANTED = 1;
const SENT = 2;
const ACKNOWLEDGED = 3;
const LEAVING = 4;

/** Tries the keys of a member. */
export type TryKeys = (tries: readonly KeyTry[]) => void;

export class InterestTable {
  readonly #connection: Connection;
  readonly #timer: SystemTimer;
  readonly #try: TryKeys;
  readonly #members = new MemberInterests();
  readonly #states = new Uint8Array(BUCKETS);
  /** Watched keys of each bucket, of all members. */
  readonly #watched = new Uint32Array(BUCKETS);
  readonly #wanted = new Set<number>();
  readonly #lingering: Lingering;
  readonly #toLeave = new Set<number>();
  #subscriptions = 0;
  #underWay: { readonly buckets: readonly number[]; readonly sinceMs: number } | undefined;
  #isUp = false;
  // The subscription serves all who wait. So it must not run in the async context of the first one.
  readonly #turnEnd = new TurnEnd(() => this.#pump());
  /** A turn of the event loop lies between two batches: this one is to come. */
  #isTurnDue = false;
  /** Since when the first key behind the command under way waits for its own. It counts for HOLD_MS. */
  #behindSinceMs: number | undefined;
  /** A key has waited for the command under way for HOLD_MS. */
  #isLate = false;
  /** The buckets that are to be acknowledged before the bus becomes live. */
  #toRestore = 0;
  #restored: (() => void) | undefined;

  constructor(connection: Connection, timer: SystemTimer, lingerMs: number, tryKeys: TryKeys) {
    this.#connection = connection;
    this.#timer = timer;
    this.#try = tryKeys;
    this.#lingering = new Lingering(timer, lingerMs, (buckets) => {
      for (const bucket of buckets) this.#toLeave.add(bucket);
      this.#pumpSoon();
    });
  }

  /** Channels that the engine has acknowledged. */
  get subscriptions(): number {
    return this.#subscriptions;
  }

  /** Channels that are wanted, and not acknowledged yet. */
  get pending(): number {
    return this.#wanted.size + (this.#underWay?.buckets.filter((b) => this.#states[b] === SENT).length ?? 0);
  }

  /** Whether a key that is not heard yet is sure to be tried within HOLD_MS. */
  get holds(): boolean {
    return this.#isUp && !this.#isLate && this.#connection.state === 'live';
  }

  join(member: BusMember): MemberInterest {
    return this.#members.join(member, this);
  }

  leave(member: BusMember): void {
    this.#members.leave(member);
  }

  add(bucket: number): boolean {
    const isFirst = this.#watched[bucket]++ === 0;
    const state = this.#states[bucket];
    if (state === ACKNOWLEDGED) {
      if (isFirst && !this.#lingering.delete(bucket)) this.#toLeave.delete(bucket);
      return true;
    }
    if (!this.#isUp) return true; // the sweep will try it
    if (state !== SENT) this.#behindSinceMs ??= this.#timer.now();
    if (state === IDLE) this.#want(bucket);
    return false;
  }

  remove(bucket: number): void {
    if (--this.#watched[bucket] > 0) return;
    const state = this.#states[bucket];
    if (state === WANTED) {
      this.#wanted.delete(bucket);
      this.#states[bucket] = IDLE;
    } else if (state === ACKNOWLEDGED) this.#lingering.add(bucket);
  }

  /** The connection is up. `done` is called once all watched buckets are acknowledged. */
  restore(done: () => void): void {
    this.#isUp = true;
    for (let bucket = 0; bucket < BUCKETS; bucket++) if (this.#watched[bucket] > 0) this.#want(bucket);
    this.#toRestore = this.#wanted.size;
    this.#restored = done;
    this.#pump();
  }

  /** Ends it for good. */
  close(): void {
    this.#members.clear();
    this.lost();
  }

  /** The connection is gone, and all subscriptions with it. */
  lost(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#isTurnDue = false;
    this.#isLate = false;
    this.#behindSinceMs = undefined;
    this.#underWay = undefined;
    this.#restored = undefined;
    this.#subscriptions = 0;
    this.#states.fill(IDLE);
    for (const set of [this.#wanted, this.#toLeave, this.#lingering]) set.clear();
    this.#try(this.#members.unheard());
    this.#members.forgetUnheard();
  }

  /** Drops the connection when a command was not acknowledged for over `timeoutMs`. */
  checkAcknowledged(nowMs: number, timeoutMs: number): void {
    if (this.#underWay !== undefined && nowMs - this.#underWay.sinceMs > timeoutMs) {
      this.#connection.fail('connection', new Error('The engine did not acknowledge a subscription'));
    }
  }

  #want(bucket: number): void {
    this.#states[bucket] = WANTED;
    this.#wanted.add(bucket);
    this.#pumpSoon();
  }

  #pumpSoon(): void {
    if (this.#underWay === undefined) this.#turnEnd.request();
  }

  #pump(): void {
    while (this.#isUp && this.#underWay === undefined && !this.#isTurnDue) {
      this.#tellRestored();
      if (this.#wanted.size > 0) this.#send('subscribe', this.#wanted, SENT);
      else if (this.#toLeave.size > 0) this.#send('unsubscribe', this.#toLeave, LEAVING);
      else {
        this.#behindSinceMs = undefined; // who was behind has left
        return;
      }
    }
  }

  #tellRestored(): void {
    if (this.#toRestore > 0 && this.#wanted.size > 0) return;
    const restored = this.#restored;
    this.#restored = undefined;
    restored?.();
  }

  #send(what: 'subscribe' | 'unsubscribe', from: Set<number>, state: number): void {
    const buckets: number[] = [];
    for (const bucket of from) if (buckets.push(bucket) === BATCH) break;
    for (const bucket of buckets) {
      from.delete(bucket);
      this.#states[bucket] = state;
    }
    if (state === LEAVING) this.#subscriptions -= buckets.length;
    const command = { buckets, sinceMs: this.#timer.now() };
    const holdMs = (this.#behindSinceMs ?? command.sinceMs) + HOLD_MS - command.sinceMs;
    if (this.#wanted.size === 0) this.#behindSinceMs = undefined;
    this.#underWay = command;
    this.#connection.command(what, buckets.map(String), (error) => {
      if (this.#underWay !== command) return;
      if (error !== undefined) return this.#connection.fail('connection', error.reason);
      this.#underWay = undefined;
      if (state === SENT) this.#acknowledged(buckets);
      else this.#left(buckets);
    });
    if (this.#underWay === command) this.#timer.schedule(() => this.#holdNoLonger(command), holdMs);
  }

  /** What is wanted behind an UNSUBSCRIBE waits for that, too. */
  #holdNoLonger(command: object): void {
    if (this.#underWay !== command) return;
    this.#isLate = true;
    this.#try(this.#members.unheard());
  }

  #acknowledged(buckets: readonly number[]): void {
    this.#toRestore -= buckets.length;
    this.#subscriptions += buckets.length;
    for (const bucket of buckets) {
      this.#states[bucket] = ACKNOWLEDGED;
      if (this.#watched[bucket] === 0) this.#lingering.add(bucket);
    }
    const tries = this.#members.heard(buckets);
    this.#next();
    this.#try(tries);
    for (const ms of this.#connection.transport.settleMs ?? [])
      this.#timer.schedule(() => this.#try(tries), ms);
  }

  #left(buckets: readonly number[]): void {
    for (const bucket of buckets) {
      this.#states[bucket] = IDLE;
      if (this.#watched[bucket] > 0) this.#want(bucket);
    }
    this.#next();
  }

  #next(): void {
    if (this.#wanted.size === 0) this.#behindSinceMs = undefined;
    else if (this.#isLate) this.#behindSinceMs = this.#timer.now(); // what is behind was not held
    this.#isLate = false;
    this.#tellRestored();
    if (this.#wanted.size + this.#toLeave.size === 0) return;
    this.#isTurnDue = true;
    this.#timer.schedule(() => {
      this.#isTurnDue = false;
      rootContext.runInAsyncScope(this.#pump, this);
    }, 0);
  }
}
