// The sending half of a bus: the hints of its outbox, gathered for `flushMs`, frame after frame.
//
// Ground rules. It owns the outbox and the frame under way. One frame is under way at a time. Hints
// that are published meanwhile are merged by key and go out together, so a slow engine gets fewer,
// fuller frames. A frame that the engine did not take goes back to the outbox. It sends only while
// the connection is live. Hints go to all processes, or each to its bucket (Routes). What is
// pending in a gap waits for `send`. The timer keeps the process alive while hints are about to be
// sent.
//
// Costs. publish: O(1).

import type { SystemTimer } from '../timer/system-timer.ts';
import type { Job } from '../turns/job.ts';
import { DEFAULT_SLICE_MS, schedulerOf } from '../turns/scheduler.ts';
import type { CheckedBusOptions } from './bus.ts';
import type { Connection, Done } from './connection.ts';
import type { BusMember, HintValue } from './membership/bus-member.ts';
import { type Batch, Outbox } from './outbox.ts';
import type { BusMeter } from './telemetry/bus-meter.ts';

/** Whether so many hints had better go to their buckets than to all processes. */
export type Routes = (hints: number) => boolean;

export class Sender {
  readonly #connection: Connection;
  readonly #timer: SystemTimer;
  readonly #meter: BusMeter;
  readonly #flushMs: number;
  readonly #maxFrameBytes: number;
  readonly #outbox: Outbox;
  /** The frame that the engine has not confirmed yet. */
  #underWay: { readonly batch: Batch; readonly sinceMs: number } | undefined;
  readonly #job: Job;
  #isFlushDue = false;
  #flushed: (() => void)[] = [];
  /** The names whose hints were sent to buckets since it was live. */
  readonly #routed = new Set<string>();
  readonly #routes: Routes;

  constructor(
    connection: Connection,
    timer: SystemTimer,
    meter: BusMeter,
    { flushMs, maxPendingKeys }: CheckedBusOptions,
    maxFrameBytes: number,
    routes: Routes,
  ) {
    this.#connection = connection;
    this.#timer = timer;
    this.#meter = meter;
    this.#flushMs = flushMs;
    this.#maxFrameBytes = maxFrameBytes;
    this.#outbox = new Outbox(maxPendingKeys);
    this.#routes = routes;
    this.#job = schedulerOf(timer).job({ sliceMs: DEFAULT_SLICE_MS, step: (job) => this.#sendBatch(job) });
  }

  get pendingKeys(): number {
    return this.#outbox.size;
  }

  publish({ name, merge }: BusMember, key: string, value: HintValue | undefined): void {
    const { size } = this.#outbox;
    const lost = this.#outbox.add(name, key, value, merge);
    this.#meter.counts.published++;
    if (lost > 0) this.#meter.didOverflow('out', lost);
    else if (this.#outbox.size === size) this.#meter.counts.merged++;
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

  /** Drops the connection when the transport has not confirmed a frame for over `timeoutMs`. */
  checkConfirmed(nowMs: number, timeoutMs: number): void {
    if (this.#underWay !== undefined && nowMs - this.#underWay.sinceMs > timeoutMs) {
      this.#connection.fail('publish', new Error('The engine did not confirm a frame'));
    }
  }

  /**
   * A process has come that listens to no bucket. It may have missed what was sent to buckets until
   * now, so it is told to try everything.
   */
  tellDeaf(): void {
    for (const name of this.#routed) this.#outbox.addAll(name);
    this.#routed.clear();
    if (!this.#outbox.isEmpty) this.#sendSoon();
  }

  /** The connection broke: what was under way is pending again. */
  restore(): void {
    if (this.#underWay === undefined) return;
    const lost = this.#outbox.restore(this.#underWay.batch);
    this.#underWay = undefined;
    if (lost > 0) this.#meter.didOverflow('out', lost);
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
    this.#timer.ref(); // hints that are published just before the process would end are sent
    this.#timer.schedule(this.#sendDue, this.#flushMs);
  }

  readonly #sendDue = (): void => {
    this.#isFlushDue = false;
    this.#timer.unref();
    this.send();
  };

  /** True when the engine has taken the frame within the call, and the next one is due at once. */
  #sendFrame(): boolean {
    if (this.#underWay !== undefined || !this.#isLive || this.#outbox.isEmpty) return false;
    const outbox = this.#outbox;
    const isRouted = !outbox.hasAll && this.#routes(outbox.size);
    const batch = isRouted ? outbox.takeRouted(this.#maxFrameBytes) : outbox.take(this.#maxFrameBytes);
    const isFull = !this.#outbox.isEmpty;
    const underWay = { batch, sinceMs: this.#timer.now() };
    this.#underWay = underWay;
    this.#meter.counts.framesSent += batch.frames.length;
    this.#note(batch, isRouted);
    let isInCall = true;
    let isNextDue = false;
    let unconfirmed = batch.frames.length;
    const confirmed: Done = (error) => {
      if (this.#underWay !== underWay) return;
      if (error !== undefined) {
        this.#connection.fail('publish', error.reason);
        return;
      }
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
      this.#meter.counts.broadcast += hints.length;
      return;
    }
    this.#meter.counts.routed += hints.length;
    for (const { name } of hints) this.#routed.add(name);
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
