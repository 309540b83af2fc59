// Interest routing: the keys that are watched here, the channels of those keys that this process has
// subscribed to, and the way there.
//
//   idle ──watched──► wanted ──SUBSCRIBE──► acknowledged ──last watcher gone─► lingering
//    ▲                                                                              │ lingerMs
//    └───────────────────────UNSUBSCRIBE──────── unwanted ◄─────────────────────────┘
//
// Invariants. One command is under way at a time, so what is wanted follows it. A key that is watched
// while its channel is not acknowledged may miss a hint: it is tried at the acknowledgement, and
// after HOLD_MS already where that takes longer. After a break the bus is live once all watched
// channels are acknowledged again.
//
// Costs. watched, unwatched: O(length of the key), while a channel is not acknowledged O(its keys).
// 260 kB for each bus with interest routing, and some 30 bytes a channel.

import type { TimerTask } from '../../timer/timer-task.ts';
import type { BusContext } from '../bus-context.ts';
import type { Connection } from '../connection.ts';
import type { BusMember, KeyInterest } from '../membership/bus-member.ts';
import type { Receiver } from '../receiver.ts';
import { CHANNELS, channelOf, seedOf } from './channels.ts';

/** A command of one channel costs 19 us a channel, one of 512 costs 6. */
const BATCH = 512;
/** How long a key waits for its acknowledgement before it is tried without it. */
const HOLD_MS = 100;

/** A key that may have missed a hint. */
interface Unheard {
  readonly member: BusMember;
  readonly key: string;
  /** Tries it after HOLD_MS. */
  readonly task: TimerTask;
}

export class InterestTable {
  readonly #base: BusContext;
  readonly #connection: Connection;
  readonly #receiver: Receiver;
  /** Watched keys of each channel, of all members. */
  readonly #watched = new Uint32Array(CHANNELS);
  /** By channel: its keys that may have missed a hint. */
  readonly #unheard = new Map<number, Unheard[]>();
  /** Those to be subscribed to; until that is acknowledged. */
  readonly #wanted = new Set<number>();
  /** Those that the engine has acknowledged, until they are to be left. */
  readonly #acknowledged = new Set<number>();
  /** The acknowledged channels without watchers: waits often come back to the same keys. */
  readonly #lingering = new Map<number, TimerTask>();
  /** Those to be left. */
  readonly #unwanted = new Set<number>();
  #isUp = false;
  #isCommandUnderWay = false;
  /** Sends the next command, in a turn of its own: a batch takes the client some ms. */
  #next: TimerTask | undefined;
  /** The channels that are to be acknowledged before the bus becomes live. */
  #toRestore = 0;
  #restored: (() => void) | undefined;

  constructor(base: BusContext, connection: Connection, receiver: Receiver) {
    this.#base = base;
    this.#connection = connection;
    this.#receiver = receiver;
  }

  /** Channels that the engine has acknowledged. */
  get subscriptions(): number {
    return this.#acknowledged.size;
  }

  /** Channels that are wanted, and not acknowledged yet. */
  get pending(): number {
    return this.#wanted.size;
  }

  join(member: BusMember): KeyInterest {
    const seed = seedOf(member.name);
    return {
      watched: (key) => this.#watch(channelOf(seed, key), member, key),
      unwatched: (key) => this.#unwatch(channelOf(seed, key), member, key),
      isHeld: (key) => {
        const unheard = this.#unheard.get(channelOf(seed, key))?.find(isOf(member, key));
        return this.#connection.state === 'live' && unheard?.task.isPending === true;
      },
    };
  }

  /** The connection is up. `done` is called once all watched channels are acknowledged. */
  restore(done: () => void): void {
    this.#isUp = true;
    for (let channel = 0; channel < CHANNELS; channel++)
      if (this.#watched[channel] > 0) this.#wanted.add(channel);
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
    this.#restored = undefined;
    this.#acknowledged.clear();
    this.#wanted.clear();
    this.#unwanted.clear();
    for (const channel of this.#lingering.keys()) this.#keep(channel);
    this.#receiver.tryKeys(this.#heard([...this.#unheard.keys()]));
  }

  #watch(channel: number, member: BusMember, key: string): void {
    const isFirst = this.#watched[channel]++ === 0;
    if (this.#acknowledged.has(channel)) {
      if (isFirst) this.#keep(channel);
      return;
    }
    if (!this.#isUp) return; // the sweep will try it
    this.#wanted.add(channel);
    this.#sendSoon();
    const task = this.#base.timer.schedule(() => this.#receiver.tryKeys([{ member, key }]), HOLD_MS);
    const unheard = this.#unheard.get(channel);
    if (unheard === undefined) this.#unheard.set(channel, [{ member, key, task }]);
    else unheard.push({ member, key, task });
  }

  #unwatch(channel: number, member: BusMember, key: string): void {
    const unheard = this.#unheard.get(channel) ?? [];
    const index = unheard.findIndex(isOf(member, key));
    if (index >= 0) unheard.splice(index, 1)[0].task.cancel();
    if (--this.#watched[channel] > 0) return;
    this.#unheard.delete(channel);
    this.#wanted.delete(channel);
    if (this.#acknowledged.has(channel)) this.#linger(channel);
  }

  #linger(channel: number): void {
    const { timer, options } = this.#base;
    const drop = (): void => {
      this.#lingering.delete(channel);
      this.#unwanted.add(channel);
      this.#sendSoon();
    };
    this.#lingering.set(channel, timer.schedule(drop, options.lingerMs));
  }

  #keep(channel: number): void {
    this.#lingering.get(channel)?.cancel();
    this.#lingering.delete(channel);
    this.#unwanted.delete(channel);
  }

  /** Takes out the keys of `channels` that are to be tried now. */
  #heard(channels: readonly number[]): Unheard[] {
    return channels.flatMap((channel) => {
      const unheard = this.#unheard.get(channel) ?? [];
      this.#unheard.delete(channel);
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
    if (this.#wanted.size > 0) this.#subscribe(this.#batchOf(this.#wanted));
    else if (this.#unwanted.size > 0) this.#unsubscribe(this.#batchOf(this.#unwanted));
  }

  #endRestore(): void {
    if (this.#toRestore > 0 && this.pending > 0) return;
    const restored = this.#restored;
    this.#restored = undefined;
    restored?.();
  }

  #batchOf(from: Set<number>): number[] {
    const channels: number[] = [];
    for (const channel of from) if (channels.push(channel) === BATCH) break;
    return channels;
  }

  #subscribe(channels: readonly number[]): void {
    this.#command('subscribe', channels, () => {
      this.#toRestore -= channels.length;
      for (const channel of channels) {
        this.#acknowledged.add(channel);
        this.#wanted.delete(channel);
        if (this.#watched[channel] === 0) this.#linger(channel);
      }
      const tries = this.#heard(channels);
      const settleMs = this.#connection.transport.settleMs ?? [];
      for (const ms of settleMs) this.#base.timer.schedule(() => this.#receiver.tryKeys(tries), ms);
      this.#endRestore();
      this.#receiver.tryKeys(tries);
    });
  }

  #unsubscribe(channels: readonly number[]): void {
    for (const channel of channels) {
      this.#acknowledged.delete(channel);
      this.#unwanted.delete(channel);
    }
    this.#command('unsubscribe', channels);
  }

  #command(what: 'subscribe' | 'unsubscribe', channels: readonly number[], done?: () => void): void {
    this.#isCommandUnderWay = true;
    this.#connection.command(what, channels.map(String), () => {
      this.#isCommandUnderWay = false;
      done?.();
      if (this.#wanted.size + this.#unwanted.size > 0) this.#sendSoon();
    });
  }
}

function isOf(member: BusMember, key: string): (unheard: Unheard) => boolean {
  return (unheard) => unheard.key === key && unheard.member === member;
}
