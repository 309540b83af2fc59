// The receiving half of a bus: its members in this process, and what other processes tell them.
//
// Invariants. A repeated frame is dropped: an engine keeps the order of a process. A missing number
// is a gap. An unknown process may be new, so its first number may be any; but a bus that has been
// live for long would have heard of an older one, so then it must be 1. Hints are tried by a job of
// the scheduler, so a flood of them does not block the event loop; those that arrive meanwhile are
// merged. More than `maxPendingKeys` become one sweep for each of their members.
// Costs. O(1) for a frame and for a hint, and the cost of its tries.

import { nameJoined } from '../base/errors.ts';
import type { Job } from '../turns/job.ts';
import { DEFAULT_SLICE_MS, schedulerOf } from '../turns/scheduler.ts';
import type { BusContext } from './bus-context.ts';
import type { Connection } from './connection.ts';
import { type Frame, readFrame } from './frames.ts';
import type { BusMember } from './membership/bus-member.ts';
import { type PendingHint, PendingHints } from './pending-hints.ts';

/**
 * A bus that has been live for so many times its `echoMs` has heard every process that was there
 * before.
 */
const ECHOES_TO_KNOW_ALL = 1.25;
/** A process that was silent for so many times its `echoMs` counts as ended. */
const ECHOES_TO_FORGET = 100;

export class Receiver {
  readonly #base: BusContext;
  readonly #connection: Connection;
  readonly #deafCame: () => void;
  readonly #members = new Map<string, BusMember>();
  /** By process that has sent something lately: the number of its last frame, and when that came. */
  readonly #heard = new Map<string, { readonly last: number; readonly atMs: number }>();
  /** Those among them that do not listen to channels. */
  readonly #deaf = new Set<string>();
  readonly #pending = new PendingHints();
  readonly #job: Job;

  /** @param deafCame a process has come that does not listen to channels. */
  constructor(base: BusContext, connection: Connection, deafCame: () => void) {
    this.#base = base;
    this.#connection = connection;
    this.#deafCame = deafCame;
    const doBatch = (job: Job): boolean => this.#tryBatch(job);
    this.#job = schedulerOf(base.timer).job({ sliceMs: DEFAULT_SLICE_MS, doBatch });
  }

  get memberNames(): string[] {
    return [...this.#members.keys()];
  }

  get peers(): number {
    return this.#heard.size;
  }

  /**
   * Whether so many hints had better go to their channels than to all processes: all are known to
   * listen to channels, and there are never more deliveries than a frame for all would cause.
   */
  routes(hints: number): boolean {
    return hints <= this.peers && this.#deaf.size === 0 && this.#knowsAll(this.#base.timer.now());
  }

  has(member: BusMember): boolean {
    return this.#members.get(member.name) === member;
  }

  /** @throws as `JoinableBus.join`. */
  join(member: BusMember): void {
    const { name } = member;
    if (this.#members.has(name)) throw nameJoined(name);
    this.#members.set(name, member);
  }

  /** Its hints are dropped, and its sweep has ended. */
  leave(member: BusMember): void {
    this.#members.delete(member.name);
    this.#pending.drop(member);
    this.#base.meter.didSweep(member, 0, this.#base.timer.now());
  }

  close(): void {
    this.#members.clear();
    this.#pending.clear();
  }

  sweepAll(): void {
    for (const member of [...this.#members.values()]) this.#sweep(member);
  }

  received(text: string): void {
    const { counts } = this.#base.meter;
    let frame: Frame;
    try {
      frame = readFrame(text);
    } catch (error) {
      counts.framesDropped++;
      this.#base.report(error);
      return;
    }
    const { origin, number, routes } = frame;
    if (origin === this.#connection.origin) {
      this.#connection.returned(number);
      return;
    }
    counts.framesReceived++;
    if (origin === undefined || number === 0 || this.#isNew(origin, number, routes)) this.#take(frame);
    else counts.framesDropped++;
  }

  /** Tries these keys of members that are here still, as hints of other processes. */
  tryKeys(keys: readonly Pick<PendingHint, 'member' | 'key'>[]): void {
    for (const { member, key } of keys) {
      if (this.has(member)) this.#add({ member, key, value: undefined });
    }
    this.#serve();
  }

  /** Tries the hint on `key` of a member, if one waits. */
  serveHint(member: BusMember, key: string): void {
    const hint = this.#pending.size === 0 ? undefined : this.#pending.takeOne(member, key);
    if (hint !== undefined) this.#try(hint);
  }

  /** Frames were missed, so a missing number means nothing new. */
  forgetAll(): void {
    this.#heard.clear();
    this.#deaf.clear();
  }

  /** Forgets the processes that have ended. O(peers). */
  forgetEnded(nowMs: number): void {
    for (const [origin, { atMs }] of this.#heard) {
      if (nowMs - atMs <= ECHOES_TO_FORGET * this.#base.options.echoMs) continue;
      this.#heard.delete(origin);
      this.#deaf.delete(origin);
    }
  }

  #knowsAll(nowMs: number): boolean {
    return this.#connection.liveMs(nowMs) > ECHOES_TO_KNOW_ALL * this.#base.options.echoMs;
  }

  #isNew(origin: string, number: number, routes: boolean): boolean {
    if (!routes && !this.#deaf.has(origin)) {
      this.#deaf.add(origin);
      this.#deafCame();
    }
    const nowMs = this.#base.timer.now();
    const last = this.#heard.get(origin)?.last ?? (this.#knowsAll(nowMs) ? 0 : number - 1);
    this.#heard.set(origin, { last: Math.max(last, number), atMs: nowMs });
    if (number > last + 1) {
      this.#connection.jumped(new Error(`Frames before number ${number} of process ${origin} are missing`));
    }
    return number > last;
  }

  #take({ hints, all }: Frame): void {
    const { meter } = this.#base;
    for (const { name, key, value } of hints) {
      meter.counts.received++;
      const member = this.#members.get(name);
      if (member === undefined) meter.didMissMember(name);
      else this.#add({ member, key, value });
    }
    for (const name of all) {
      const member = this.#members.get(name);
      if (member !== undefined) this.#sweep(member);
    }
    this.#serve();
  }

  #add(hint: PendingHint): void {
    this.#pending.add(hint);
    const { size } = this.#pending;
    if (size <= this.#base.options.maxPendingKeys) return;
    const { members } = this.#pending;
    this.#pending.clear();
    this.#base.meter.didOverflow('in', size);
    for (const member of members) this.#sweep(member);
  }

  /** Has what is pending tried, from the end of this turn on. */
  #serve(): void {
    if (this.#pending.size > 0) this.#job.run();
  }

  #tryBatch(job: Job): boolean {
    return this.#pending.take(
      () => job.left > 0,
      (hint) => job.count(1, this.#try(hint) ? 1 : 0),
    );
  }

  /** A try may change everything here. So the hint is taken out before it. */
  #try({ member, key, value }: PendingHint): boolean {
    const someoneWatched = member.hinted(key, value);
    if (!someoneWatched) this.#base.meter.counts.forNobody++;
    return someoneWatched;
  }

  #sweep(member: BusMember): void {
    const { meter, timer } = this.#base;
    meter.willSweep(member, timer.now());
    member.sweep((tried) => meter.didSweep(member, tried, timer.now()));
  }
}
