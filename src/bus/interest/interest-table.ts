// The buckets that this process has subscribed to, and the way there.
//
//   idle ──watched──► wanted ──SUBSCRIBE──► sent ──acknowledged──► acknowledged
//    ▲                                                                  │ last watcher left
//    └──acknowledged── leaving ◄──UNSUBSCRIBE── lingering for lingerMs ◄┘
//
// Ground rules. One command is under way at a time, so the engine sees them in order. A bucket
// counts as left from the UNSUBSCRIBE on. A break ends all subscriptions: then all watched buckets
// are subscribed before the bus becomes live, and the sweep that follows tries everything. Costs.
// add, remove: O(1). 400 kB for each bus with interest routing.

import type { TimerTask } from '../../timer/timer-task.ts';
import type { BusBase } from '../bus-base.ts';
import type { Connection } from '../connection.ts';
import type { BusMember } from '../membership/bus-member.ts';
import { BUCKETS } from './buckets.ts';
import { type Buckets, type KeyTry, MemberInterest, type TryKeys } from './member-interest.ts';

/** A command of one channel costs 19 us a channel, one of 512 costs 6. */
const BATCH = 512;

const IDLE = 0;
const WANTED = 1;
const SENT = 2;
const ACKNOWLEDGED = 3;
const LEAVING = 4;

export class InterestTable implements Buckets {
  readonly #base: BusBase;
  readonly #connection: Connection;
  readonly #try: TryKeys;
  readonly #members = new Map<BusMember, MemberInterest>();
  readonly #states = new Uint8Array(BUCKETS);
  /** Watched keys of each bucket, of all members. */
  readonly #watched = new Uint32Array(BUCKETS);
  readonly #wanted = new Set<number>();
  /** The acknowledged buckets without watchers: waits often come back to the same keys. */
  readonly #lingering = new Map<number, TimerTask>();
  readonly #toLeave = new Set<number>();
  #subscriptions = 0;
  /** The buckets of the command under way. */
  #underWay: readonly number[] | undefined;
  #isUp = false;
  /** Sends the next command, in a turn of its own: a batch takes the client some ms. */
  #next: TimerTask | undefined;
  /** The buckets that are to be acknowledged before the bus becomes live. */
  #toRestore = 0;
  #restored: (() => void) | undefined;

  constructor(base: BusBase, connection: Connection, tryKeys: TryKeys) {
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
    const sent = this.#underWay?.filter((bucket) => this.#states[bucket] === SENT);
    return this.#wanted.size + (sent?.length ?? 0);
  }

  get isLive(): boolean {
    return this.#connection.state === 'live';
  }

  join(member: BusMember): MemberInterest {
    const interest = new MemberInterest(this.#base, member, this, this.#try);
    this.#members.set(member, interest);
    return interest;
  }

  leave(member: BusMember): void {
    this.#members.get(member)?.heard(); // nothing of it is to be tried
    this.#members.delete(member);
  }

  add(bucket: number): boolean {
    const isFirst = this.#watched[bucket]++ === 0;
    const state = this.#states[bucket];
    if (state === ACKNOWLEDGED) {
      if (isFirst) this.#keep(bucket);
      return true;
    }
    if (!this.#isUp) return true; // the sweep will try it
    if (state === IDLE) this.#want(bucket);
    return false;
  }

  remove(bucket: number): void {
    if (--this.#watched[bucket] > 0) return;
    const state = this.#states[bucket];
    if (state === WANTED) {
      this.#wanted.delete(bucket);
      this.#states[bucket] = IDLE;
    } else if (state === ACKNOWLEDGED) this.#linger(bucket);
  }

  /** The connection is up. `done` is called once all watched buckets are acknowledged. */
  restore(done: () => void): void {
    this.#isUp = true;
    for (let bucket = 0; bucket < BUCKETS; bucket++) if (this.#watched[bucket] > 0) this.#want(bucket);
    this.#toRestore = this.#wanted.size;
    this.#restored = done;
    this.#sendNext();
  }

  /** Ends it for good. */
  close(): void {
    for (const member of [...this.#members.keys()]) this.leave(member);
    this.lost();
  }

  /** The connection is gone, and all subscriptions with it. */
  lost(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#next?.cancel();
    this.#underWay = undefined;
    this.#restored = undefined;
    this.#subscriptions = 0;
    this.#states.fill(IDLE);
    this.#wanted.clear();
    for (const bucket of [...this.#lingering.keys(), ...this.#toLeave]) this.#keep(bucket);
    this.#try(this.#heard());
  }

  #want(bucket: number): void {
    this.#states[bucket] = WANTED;
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
    if (!this.#isUp || this.#underWay !== undefined || this.#next?.isPending) return;
    this.#next = this.#base.timer.schedule(() => this.#sendNext(), 0);
  }

  #sendNext(): void {
    this.#endRestore();
    if (!this.#isUp || this.#underWay !== undefined) return;
    if (this.#wanted.size > 0) this.#send('subscribe', this.#wanted, SENT);
    else if (this.#toLeave.size > 0) this.#send('unsubscribe', this.#toLeave, LEAVING);
  }

  #endRestore(): void {
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
    this.#underWay = buckets;
    this.#connection.command(what, buckets.map(String), () => {
      this.#underWay = undefined;
      if (state === SENT) this.#acknowledged(buckets);
      else this.#left(buckets);
      if (this.#wanted.size + this.#toLeave.size > 0) this.#sendSoon();
    });
  }

  #acknowledged(buckets: readonly number[]): void {
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
  }

  #left(buckets: readonly number[]): void {
    for (const bucket of buckets) {
      this.#states[bucket] = IDLE;
      if (this.#watched[bucket] > 0) this.#want(bucket);
    }
  }
}
