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
// Costs. watched, unwatched: O(length of the key), while a bucket is not acknowledged O(its keys).
// 400 kB for each bus with interest routing.

import type { TimerTask } from '../../timer/timer-task.ts';
import type { BusBase } from '../bus-base.ts';
import type { Connection } from '../connection.ts';
import type { BusMember, KeyInterest } from '../membership/bus-member.ts';
import type { Receiver } from '../receiver.ts';
import { BUCKETS, bucketOf, seedOf } from './buckets.ts';

/** A command of one channel costs 19 us a channel, one of 512 costs 6. */
const BATCH = 512;
/** How long a key waits for its acknowledgement before it is tried without it. */
const HOLD_MS = 100;

const IDLE = 0;
/** Its command is under way. */
const CHANGING = 1;
const ACKNOWLEDGED = 2;

/** A key that may have missed a hint. */
interface Unheard {
  readonly member: BusMember;
  readonly key: string;
  /** Tries it after HOLD_MS. */
  readonly task: TimerTask;
}

export class InterestTable {
  readonly #base: BusBase;
  readonly #connection: Connection;
  readonly #receiver: Receiver;
  readonly #states = new Uint8Array(BUCKETS);
  /** Watched keys of each bucket, of all members. */
  readonly #watched = new Uint32Array(BUCKETS);
  /** By bucket: its keys that may have missed a hint. */
  readonly #unheard = new Map<number, Unheard[]>();
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

  constructor(base: BusBase, connection: Connection, receiver: Receiver) {
    this.#base = base;
    this.#connection = connection;
    this.#receiver = receiver;
  }

  /** Channels that the engine has acknowledged. */
  get subscriptions(): number {
    return this.#subscriptions;
  }

  /** Channels that are wanted, and not acknowledged yet. */
  get pending(): number {
    return this.#wanted.size + this.#sent;
  }

  join(member: BusMember): KeyInterest {
    const seed = seedOf(member.name);
    return {
      watched: (key) => this.#watch(bucketOf(seed, key), member, key),
      unwatched: (key) => this.#unwatch(bucketOf(seed, key), member, key),
      isHeld: (key) => {
        const unheard = this.#unheard.get(bucketOf(seed, key))?.find(isOf(member, key));
        return this.#connection.state === 'live' && unheard?.task.isPending === true;
      },
    };
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
    this.#receiver.tryKeys(this.#heard([...this.#unheard.keys()]));
  }

  #watch(bucket: number, member: BusMember, key: string): void {
    const isFirst = this.#watched[bucket]++ === 0;
    if (this.#states[bucket] === ACKNOWLEDGED) {
      if (isFirst) this.#keep(bucket);
      return;
    }
    if (!this.#isUp) return; // the sweep will try it
    if (this.#states[bucket] === IDLE) this.#want(bucket);
    const task = this.#base.timer.schedule(() => this.#receiver.tryKeys([{ member, key }]), HOLD_MS);
    const unheard = this.#unheard.get(bucket);
    if (unheard === undefined) this.#unheard.set(bucket, [{ member, key, task }]);
    else unheard.push({ member, key, task });
  }

  #unwatch(bucket: number, member: BusMember, key: string): void {
    const unheard = this.#unheard.get(bucket) ?? [];
    const index = unheard.findIndex(isOf(member, key));
    if (index >= 0) unheard.splice(index, 1)[0].task.cancel();
    if (--this.#watched[bucket] > 0) return;
    this.#unheard.delete(bucket);
    this.#wanted.delete(bucket);
    if (this.#states[bucket] === ACKNOWLEDGED) this.#linger(bucket);
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

  /** Takes out the keys of `buckets` that are to be tried now. */
  #heard(buckets: readonly number[]): Unheard[] {
    return buckets.flatMap((bucket) => {
      const unheard = this.#unheard.get(bucket) ?? [];
      this.#unheard.delete(bucket);
      for (const { task } of unheard) task.cancel();
      return unheard;
    });
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
      for (const ms of settleMs) this.#base.timer.schedule(() => this.#receiver.tryKeys(tries), ms);
      this.#endRestore();
      this.#receiver.tryKeys(tries);
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

function isOf(member: BusMember, key: string): (unheard: Unheard) => boolean {
  return (unheard) => unheard.key === key && unheard.member === member;
}
