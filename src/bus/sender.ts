// The sending half of a bus: the hints of its outbox, gathered for `flushMs`, frame after frame.
//
// Ground rules. It owns the outbox and the frame under way. One frame is under way at a time. Hints
// that are published meanwhile are merged by key and go out together, so a slow engine gets fewer,
// fuller frames. A frame that the engine did not take goes back to the outbox. It sends only while
// the connection is live. Hints go to all processes, or each to its bucket. What is
// pending in a gap waits for `send`. The timer keeps the process alive while hints are about to be
// sent.
//
// Costs. publish: O(1).

import type { Job } from '../turns/job.ts';
import { DEFAULT_SLICE_MS, schedulerOf } from '../turns/scheduler.ts';
import type { BusBase } from './bus-base.ts';
import type { Connection } from './connection.ts';
import { type Batch, Outbox } from './outbox.ts';
import type { PendingHint } from './pending-hints.ts';
import type { Receiver } from './receiver.ts';

export class Sender {
  readonly #base: BusBase;
  readonly #connection: Connection;
  readonly #maxFrameBytes: number;
  readonly #outbox: Outbox;
  readonly #receiver: Receiver;
  readonly #job: Job;
  /** What the engine has not confirmed yet. */
  #underWay: Batch | undefined;
  #isFlushDue = false;
  #flushed: (() => void)[] = [];
  /** The names whose hints were sent to buckets since it was live. */
  readonly #routed = new Set<string>();

  constructor(base: BusBase, connection: Connection, receiver: Receiver, maxFrameBytes: number) {
    const { options, timer } = base;
    this.#base = base;
    this.#connection = connection;
    this.#maxFrameBytes = maxFrameBytes;
    this.#outbox = new Outbox(options.maxPendingKeys);
    this.#receiver = receiver;
    this.#job = schedulerOf(timer).job({ sliceMs: DEFAULT_SLICE_MS, step: (job) => this.#sendBatch(job) });
  }

  get pendingKeys(): number {
    return this.#outbox.size;
  }

  publish(hint: PendingHint): void {
    const { meter } = this.#base;
    const { size } = this.#outbox;
    const lost = this.#outbox.add(hint);
    meter.counts.published++;
    if (lost > 0) meter.didOverflow('out', lost);
    else if (this.#outbox.size === size) meter.counts.merged++;
    this.#sendSoon();
  }

  /** Sends one frame after another, while frames are full or a flush waits for them. */
  send(): void {
    this.#job.run();
  }

  /** A frame is a batch: one of 16 kB takes about 1 ms. */
  #sendBatch(job: Job): boolean {
    job.count(job.left, 0);
    return this.#sendFrame();
  }

  /** Sends what is pending; resolves when the engine has it, and at `close`. */
  async flush(): Promise<void> {
    if (this.#isSent()) return;
    const flushed = new Promise<void>((resolve) => {
      this.#flushed.push(resolve);
    });
    this.send();
    await flushed;
  }

  /**
   * A process has come that listens to no bucket. It may have missed what was sent to buckets until
   * now, so it gets a "try everything".
   */
  tryEverything(): void {
    for (const name of this.#routed) this.#outbox.addAll(name);
    this.#routed.clear();
    if (!this.#outbox.isEmpty) this.#sendSoon();
  }

  /** The connection broke: what was under way is pending again. */
  restore(): void {
    if (this.#underWay === undefined) return;
    const lost = this.#outbox.restore(this.#underWay);
    this.#underWay = undefined;
    if (lost > 0) this.#base.meter.didOverflow('out', lost);
  }

  close(): void {
    this.#outbox.clear();
    this.#underWay = undefined;
    this.#resolveFlushed();
  }

  get #isLive(): boolean {
    return this.#connection.state === 'live';
  }

  #sendSoon(): void {
    if (this.#isFlushDue || this.#underWay !== undefined || !this.#isLive) return;
    this.#isFlushDue = true;
    this.#base.timer.ref(); // hints that are published just before the process would end are sent
    this.#base.timer.schedule(this.#sendDue, this.#base.options.flushMs);
  }

  readonly #sendDue = (): void => {
    this.#isFlushDue = false;
    this.#base.timer.unref();
    this.send();
  };

  /** True when the engine has taken the frame within the call, and the next one is due at once. */
  #sendFrame(): boolean {
    if (this.#underWay !== undefined || !this.#isLive || this.#outbox.isEmpty) return false;
    const outbox = this.#outbox;
    const isRouted =
      this.#base.options.routing === 'interest' && !outbox.hasAll && this.#receiver.routes(outbox.size);
    const batch = isRouted ? outbox.takeRouted(this.#maxFrameBytes) : outbox.take(this.#maxFrameBytes);
    const isFull = !outbox.isEmpty;
    this.#underWay = batch;
    this.#base.meter.counts.framesSent += batch.frames.length;
    this.#note(batch, isRouted);
    let isInCall = true;
    let isNextDue = false;
    let unconfirmed = batch.frames.length;
    const confirmed = (): void => {
      if (--unconfirmed > 0) return;
      this.#underWay = undefined;
      if (this.#isSent()) this.#resolveFlushed();
      else if (!isFull && this.#flushed.length === 0) this.#sendSoon();
      else if (isInCall) isNextDue = true;
      else this.send();
    };
    for (const { channel, body } of batch.frames) {
      if (channel === undefined) this.#connection.publish(body, confirmed);
      else this.#connection.publishTo(channel, body, confirmed);
    }
    isInCall = false;
    return isNextDue;
  }

  #note({ hints }: Batch, isRouted: boolean): void {
    if (!isRouted) {
      this.#base.meter.counts.broadcast += hints.length;
      return;
    }
    this.#base.meter.counts.routed += hints.length;
    for (const { member } of hints) this.#routed.add(member.name);
  }

  #isSent(): boolean {
    return this.#underWay === undefined && this.#outbox.isEmpty;
  }

  #resolveFlushed(): void {
    const flushed = this.#flushed;
    this.#flushed = [];
    for (const resolve of flushed) resolve();
  }
}
