// The receiving half of a bus: its members in this process, and what other processes tell them.
//
// Invariants. What the numbers of frames tell, its Peers know; the hints of every frame are taken,
// also of one that comes twice. The first text of a turn is read at once, the others by a job of the
// scheduler, and hints are tried by another one, so a flood does not block the event loop; hints that
// arrive meanwhile are merged. A deadline, and a break, count after what has come. More than
// `maxPendingKeys` become one sweep for each of their members. A bus that has just become live cannot
// tell whether the first frame that it hears of a process is the first since. So if there was such a
// process, everything is tried once more when all have been heard of. While it is in doubt, everything
// is tried at a slow pace. The first foreign text is reported, then a count each minute.
// Costs. O(1) for a frame and for a hint, and the cost of its tries.

import { PurgatoryError } from '../base/errors.ts';
import type { TimerTask } from '../timer/timer-task.ts';
import { DEFAULT_SLICE_MS, type Job, schedulerOf } from '../turns/scheduler.ts';
import type { BusContext } from './bus-context.ts';
import { type Connection, ECHOES_TO_KNOW_ALL } from './connection.ts';
import { type Frame, readFrame } from './frames.ts';
import type { BusMember } from './membership/bus-member.ts';
import { ECHOES_THERE, Peers } from './peers.ts';
import { type PendingHint, PendingHints } from './pending-hints.ts';
import type { DoubtSnapshot } from './telemetry/bus-snapshot.ts';

const FOREIGN_EVERY_MS = 60_000;
/** More are read at once: that slows down who sends. */
const MOST_UNREAD = 256;

export class Receiver {
  readonly #base: BusContext;
  readonly #connection: Connection;
  readonly #members = new Map<string, BusMember>();
  readonly #peers: Peers;
  /** Sweeps when all other processes have been heard of: one may have sent frames that were missed. */
  #sweepAgain: TimerTask | undefined;
  /** Foreign texts that were not reported yet, and the last of their errors. */
  #foreign = { texts: 0, error: undefined as unknown };
  #foreignSoon: TimerTask | undefined;
  readonly #pending = new PendingHints();
  /** Texts that have come. */
  readonly #unread: string[] = [];
  readonly #reading: Job;
  readonly #job: Job;
  #doubtBeganMs = 0;

  /** @param deafCame a process has come that does not listen to channels. */
  constructor(base: BusContext, connection: Connection, deafCame: () => void) {
    this.#base = base;
    this.#connection = connection;
    this.#peers = new Peers(deafCame);
    const jobOf = (doBatch: (job: Job) => boolean): Job =>
      schedulerOf(base.timer).job({ sliceMs: DEFAULT_SLICE_MS, doBatch });
    this.#reading = jobOf((job) => this.#readBatch(job));
    this.#job = jobOf((job) => this.#tryBatch(job));
  }

  get memberNames(): string[] {
    return [...this.#members.keys()];
  }

  get peers(): number {
    return this.#connection.state === 'live' ? this.#peers.size : 0;
  }

  get doubt(): DoubtSnapshot | null {
    const { doubt, size } = this.#peers;
    return doubt === undefined ? null : { beganMs: this.#doubtBeganMs, silent: doubt.silent, heard: size };
  }

  /**
   * Whether so many hints had better go to their channels than to all processes: all are known to
   * listen to channels, and there are never more deliveries than a frame for all would cause. O(1).
   */
  routes(hints: number): boolean {
    return this.#connection.knowsAll && hints <= this.#peers.size && this.#peers.allRoute;
  }

  has(member: BusMember): boolean {
    return this.#members.get(member.name) === member;
  }

  /** @throws as `JoinableBus.join`. */
  join(member: BusMember): void {
    const { name } = member;
    if (this.#members.has(name)) {
      const todo = 'share what has the name in this process, or take another';
      throw new PurgatoryError(
        'ERR_PURGATORY_ALREADY_JOINED',
        `"${name}" has joined this bus already: ${todo}`,
      );
    }
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

  becameLive(): void {
    this.#sweepAgain?.cancel();
    this.#sweepAll();
  }

  readonly #sweepAll = (): void => {
    for (const member of [...this.#members.values()]) this.#sweep(member);
  };

  /** An echo of this bus has come back. */
  echoed(): void {
    const { timer, options } = this.#base;
    this.#peers.echoed();
    const { doubt, size } = this.#peers;
    if (doubt === undefined || doubt.echoes % ECHOES_THERE !== 0) return;
    if (doubt.echoes === 0) {
      this.#doubtBeganMs = timer.now();
      this.#base.report(inDoubt(doubt.silent, size, ECHOES_THERE * options.echoMs));
    }
    this.#sweepAll();
  }

  received(text: string): void {
    const isFirst = !this.#reading.isUnderWay;
    this.#unread.push(text);
    this.#reading.run(); // before the job that tries
    if (isFirst ? this.#unread.length > 0 : this.#unread.length > MOST_UNREAD) this.#readNext();
  }

  #readBatch(job: Job): boolean {
    while (this.#unread.length > 0 && job.stepsLeft > 0) job.count(this.#readNext(), 0);
    return this.#unread.length > 0;
  }

  #readAll(): void {
    while (this.#unread.length > 0) this.#readNext();
  }

  /** Returns how many steps it took. */
  #readNext(): number {
    const text = this.#unread.shift() as string;
    if (this.#connection.state === 'closed') return 1;
    const { counts } = this.#base.meter;
    let frame: Frame;
    try {
      frame = readFrame(text);
    } catch (error) {
      counts.framesDropped++;
      this.#foreign = { texts: this.#foreign.texts + 1, error };
      if (this.#foreignSoon === undefined) this.#reportForeign();
      return 1;
    }
    const { origin, number, hints } = frame;
    if (origin === this.#connection.origin) {
      this.#connection.returned(number);
      return 1;
    }
    counts.framesReceived++;
    const isNumbered = origin !== undefined && number !== 0;
    this.#take(frame, isNumbered && this.#isLate(frame, origin));
    return 1 + hints.length;
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
    this.#readAll();
    const hint = this.#pending.size === 0 ? undefined : this.#pending.takeOne(member, key);
    if (hint !== undefined) this.#try(hint);
  }

  /** Frames were missed, so a missing number means nothing new. */
  forgetAll(): void {
    this.#readAll();
    this.#peers.clear();
    this.#sweepAgain?.cancel();
  }

  /** Whether a later frame of its process has come. A missing one is a gap. */
  #isLate(frame: Frame, origin: string): boolean {
    const { timer, options } = this.#base;
    const { liveMs, knowsAll, state } = this.#connection;
    const before = this.#peers.hear(frame, origin, liveMs);
    for (const { name, key, value } of this.#peers.notLate.flatMap(({ hints }) => hints)) {
      const member = this.#members.get(name);
      if (member?.dropsLateValues && value !== undefined) this.#add({ member, key, value });
    }
    if (before === 'late') return true;
    if (before === 'heard' || state !== 'live') return false; // all is tried when it becomes live
    if (before === 'unknown' && !knowsAll) {
      if (this.#sweepAgain?.isPending) return false;
      const restMs = ECHOES_TO_KNOW_ALL * options.echoMs + 1 - liveMs;
      this.#sweepAgain = timer.schedule(this.#sweepAll, restMs);
    } else {
      const what = `Frames before number ${frame.number} of process ${origin} are missing`;
      this.#connection.jumped(new Error(what));
    }
    return false;
  }

  readonly #reportForeign = (): void => {
    const { texts, error } = this.#foreign;
    if (texts === 0) {
      this.#foreignSoon = undefined;
      return;
    }
    this.#foreign = { texts: 0, error };
    this.#base.report(this.#foreignSoon === undefined ? error : foreignTexts(error, texts));
    this.#foreignSoon = this.#base.timer.schedule(this.#reportForeign, FOREIGN_EVERY_MS);
  };

  #take({ hints, all }: Frame, isLate: boolean): void {
    const { meter } = this.#base;
    for (const { name, key, value } of hints) {
      meter.counts.received++;
      const member = this.#members.get(name);
      if (member === undefined) meter.didMissMember(name);
      else this.#add({ member, key, value: isLate && member.dropsLateValues ? undefined : value });
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
      () => job.stepsLeft > 0,
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

/** For texts of others in a minute. @param error that of the last: it may have words of a stranger. */
function foreignTexts(error: unknown, texts: number): PurgatoryError {
  const message = `${texts} more texts have come in a minute that are no frames of this bus`;
  return new PurgatoryError('ERR_PURGATORY_BUS_PROTOCOL', message, { cause: error });
}

function inDoubt(silent: number, heard: number, everyMs: number): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_BUS_DOUBT',
    `${silent} processes have fallen silent at once on this bus, and ${heard} are heard: they crashed, or the ` +
      'engine is split, so that its parts do not hear each other. Until one of them is heard, all that is ' +
      `parked is tried every ${everyMs / 1_000} s`,
  );
}
