// The sending half of a bus: hints are gathered for `flushMs`, each key once, and go out frame after
// frame.
//
// Invariants. One batch is under way at a time. What is published meanwhile is merged by key and
// goes out together, so a slow engine gets fewer, fuller frames. A batch that the engine did not
// take is pending again, before all others. One that it refused twice becomes a "try everything"
// for each of its names. Then such names go out one by one, each in a frame of its own, until none
// is left; one that is refused is dropped. Beyond `maxPendingKeys` all hints are dropped for a "try
// everything" of their members' names; a hint that is published for such a name is part of that
// until it is sent. It sends only while the connection is live: what is pending in a gap waits for
// `send`. The timer keeps the process alive while hints are about to be sent.
// Costs. publish: O(1).

import { PurgatoryError } from '../base/errors.ts';
import { cut } from '../base/text.ts';
import { Barrier, type BarrierOptions, type BarrierResult } from '../timer/barrier.ts';
import { DEFAULT_SLICE_MS, type Job, schedulerOf } from '../turns/scheduler.ts';
import type { BusContext } from './bus-context.ts';
import type { Connection } from './connection.ts';
import { FrameBody } from './frames.ts';
import { channelOf, seedOf } from './interest/channels.ts';
import { type PendingHint, PendingHints } from './pending-hints.ts';
import type { Receiver } from './receiver.ts';

/** What goes out together: in a frame for all processes, or in frames for channels. */
interface Batch {
  readonly hints: PendingHint[];
  /** The names whose members are to try everything. */
  readonly all: string[];
  /** It is the "try everything" of a suspect. */
  readonly isAlone: boolean;
  /** By the channel that gets it; undefined for all processes. */
  readonly frames: [channel: number | undefined, frame: FrameBody][];
}

/** So often the engine may refuse a batch. */
const REFUSALS = 2;

export class Sender {
  readonly #base: BusContext;
  readonly #connection: Connection;
  readonly #receiver: Receiver;
  readonly #job: Job;
  readonly #pending = new PendingHints();
  /** The names that are to be sent with "try everything". */
  readonly #all = new Set<string>();
  /** What the engine has not confirmed yet. */
  #underWay: Batch | undefined;
  /**
   * How often in a row the engine refused a batch: the same one, as it goes out first again. From
   * REFUSALS on, the names in `all` go out one by one, until none is left.
   */
  #refusals = 0;
  #isFlushDue = false;
  readonly #flushed = new Barrier();
  /** The names whose hints were sent to channels since it was live. */
  readonly #routed = new Set<string>();

  constructor(base: BusContext, connection: Connection, receiver: Receiver) {
    this.#base = base;
    this.#connection = connection;
    this.#receiver = receiver;
    const doBatch = (job: Job): boolean => this.#sendBatch(job);
    this.#job = schedulerOf(base.timer).job({ sliceMs: DEFAULT_SLICE_MS, doBatch });
  }

  get pendingKeys(): number {
    return this.#pending.size + this.#all.size;
  }

  publish(hint: PendingHint): void {
    const { meter } = this.#base;
    const { size } = this.#pending;
    meter.counts.published++;
    if (this.#all.has(hint.member.name)) meter.didOverflow('out', 1);
    else {
      this.#pending.add(hint);
      if (this.#pending.size === size) meter.counts.merged++;
      else this.#endOverflow();
    }
    this.#sendSoon();
  }

  /** Sends one frame after another, while frames are full or a flush waits for them. */
  send(): void {
    this.#job.run();
  }

  /** Sends what is pending; resolves when the engine has it, and at `close`. */
  flush(options?: BarrierOptions): Promise<BarrierResult> {
    const flushed = this.#flushed.wait(this.#base.options.clock, this.#isSent, options);
    this.send();
    return flushed;
  }

  /**
   * A process has come that listens to no channel. It may have missed what was sent to channels until
   * now, so it gets a "try everything".
   */
  tryEverything(): void {
    for (const name of this.#routed) this.#addAll(name);
    this.#routed.clear();
    if (!this.#isEmpty) this.#sendSoon();
  }

  /**
   * The connection broke: what was under way is pending again, before what was published since.
   *
   * @param refused why the engine refused it; undefined where it may not have been asked.
   */
  restore(refused?: unknown): void {
    if (this.#underWay === undefined) return;
    const { hints, all, isAlone } = this.#underWay;
    this.#underWay = undefined;
    if (isAlone && refused !== undefined) {
      this.#base.report(hintsLost(`they were refused: ${refused}`, all, refused));
      if (this.#all.size === 0) this.#refusals = 0;
      if (this.#isSent) this.#flushed.open();
      return;
    }
    if (refused !== undefined) this.#refusals++;
    const isSuspect = this.#refusals >= REFUSALS;
    for (const name of all) this.#addAll(name);
    if (isSuspect) for (const { member } of hints) this.#addAll(member.name);
    if (!isSuspect) this.#pending.putBack(hints);
    else if (hints.length > 0) this.#base.meter.didOverflow('out', hints.length);
    this.#endOverflow();
  }

  /** Drops what is not sent. Returns the names of its members. */
  close(): string[] {
    this.restore();
    const names = new Set([...this.#all, ...this.#pending.members.map(({ name }) => name)]);
    this.#pending.clear();
    this.#all.clear();
    this.#flushed.open();
    return [...names];
  }

  get #isEmpty(): boolean {
    return this.#pending.size === 0 && this.#all.size === 0;
  }

  get #isSent(): boolean {
    return this.#underWay === undefined && this.#isEmpty;
  }

  #addAll(name: string): void {
    this.#all.add(name);
    for (const member of this.#pending.members) if (member.name === name) this.#pending.drop(member);
  }

  #endOverflow(): void {
    const { size } = this.#pending;
    if (size <= this.#base.options.maxPendingKeys) return;
    for (const { name } of this.#pending.members) this.#all.add(name);
    this.#pending.clear();
    this.#base.meter.didOverflow('out', size);
  }

  #sendSoon(): void {
    if (this.#isFlushDue || this.#underWay !== undefined || this.#connection.state !== 'live') return;
    this.#isFlushDue = true;
    this.#base.timer.ref(); // hints that are published just before the process would end are sent
    this.#base.timer.schedule(this.#sendDue, this.#base.options.flushMs);
  }

  readonly #sendDue = (): void => {
    this.#isFlushDue = false;
    this.#base.timer.unref();
    this.send();
  };

  /** True when the engine has taken the batch within the call, and the next one is due at once. */
  #sendBatch(job: Job): boolean {
    if (this.#underWay !== undefined || this.#connection.state !== 'live' || this.#isEmpty) return false;
    const { options, meter } = this.#base;
    const isRouted =
      options.routing === 'interest' && this.#all.size === 0 && this.#receiver.routes(this.#pending.size);
    const batch = isRouted ? this.#takeRouted() : this.#take();
    const isFull = !this.#isEmpty;
    job.count(batch.hints.length + batch.all.length, 0); // a frame of 16 kB takes about 1 ms
    this.#underWay = batch;
    meter.counts.framesSent += batch.frames.length;
    meter.counts[isRouted ? 'routed' : 'broadcast'] += batch.hints.length;
    let unconfirmed = batch.frames.length;
    const confirmed = (): void => {
      if (--unconfirmed > 0) return;
      this.#underWay = undefined;
      if (!batch.isAlone || this.#all.size === 0) this.#refusals = 0;
      if (this.#isSent) this.#flushed.open();
      else if (!isFull && !this.#flushed.isAwaited) this.#sendSoon();
      else this.send(); // of no effect within this batch: what it returns says the same
    };
    for (const [channel, frame] of batch.frames) {
      if (channel === undefined) this.#connection.publish(frame.text(), confirmed);
      else this.#connection.publishTo(`${channel}`, frame.text(), confirmed);
    }
    return this.#underWay === undefined && (isFull || this.#flushed.isAwaited);
  }

  /** Takes out as much as fits in a frame. */
  #take(): Batch {
    const frame = new FrameBody(this.#connection.maxFrameBytes);
    const isAlone = this.#refusals >= REFUSALS && this.#all.size > 0;
    const batch: Batch = { hints: [], all: [], isAlone, frames: [[undefined, frame]] };
    for (const name of this.#all) {
      if (!frame.addAll(name)) return batch;
      this.#all.delete(name);
      batch.all.push(name);
      if (isAlone) return batch;
    }
    const fits = ({ member, key, value }: PendingHint): boolean => frame.add(member.name, key, value);
    this.#pending.take(fits, (hint) => batch.hints.push(hint));
    return batch;
  }

  /** Takes out all hints, in frames for their channels. */
  #takeRouted(): Batch {
    const batch: Batch = { hints: [], all: [], isAlone: false, frames: [] };
    const last = new Map<number, FrameBody>();
    const add = ({ member, key, value }: PendingHint): boolean => {
      const channel = channelOf(seedOf(member.name), key);
      if (last.get(channel)?.add(member.name, key, value)) return true;
      const frame = new FrameBody(this.#connection.maxFrameBytes);
      last.set(channel, frame);
      batch.frames.push([channel, frame]);
      return frame.add(member.name, key, value); // one hint always fits (checkHintKey, checkHintValue)
    };
    this.#pending.take(add, (hint) => {
      batch.hints.push(hint);
      this.#routed.add(hint.member.name);
    });
    return batch;
  }
}

/** @param why they were not sent. */
export function hintsLost(why: string, names: readonly string[], cause?: unknown): PurgatoryError {
  const whose = cut(names.map((name) => `"${name}"`).join(', '));
  const message = `Hints for ${whose} have reached no other process: ${why}`;
  return new PurgatoryError('ERR_PURGATORY_HINTS_LOST', message, cause === undefined ? {} : { cause });
}
