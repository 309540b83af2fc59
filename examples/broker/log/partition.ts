/**
 * A partition on this node, which leads it or follows its leader: the log, and the high watermark
 * up to which it is shown and acknowledged.
 *
 * Owns the high watermark. On the leader, the high watermark follows what all replicas in sync have
 * kept (see Flusher), its own log among them. It never goes back. A leader begins with the end of
 * its own log. That log is the one that counts, because leadership is static. Every move of what
 * somebody may wait for is announced.
 */
import type { SystemTimer } from 'purgatory';
import { ErrorCode } from '../protocol/error-codes.ts';
import { type BatchHeader, type RecordBatch, RecordBatchError } from '../protocol/record-batch.ts';
import { InSyncReplicas } from '../replication/in-sync-replicas.ts';
import type { Retention } from '../settings/topic-settings.ts';
import type { ByteBudget } from '../storage/byte-budget.ts';
import type { DiskSpace } from '../storage/full-disk.ts';
import { Flusher, type FlushPolicy } from './flusher.ts';
import type { KnownProducers } from './known-producers.ts';
import type { PartitionLog } from './partition-log.ts';
import { ProducerStates } from './producer-states.ts';

/** What the partitions of a node share. */
export interface PartitionContext {
  readonly timer: SystemTimer;
  readonly flush: FlushPolicy;
  /**
   * Opens the log of the partition with this key. `onBatch` gets each batch in it, which came
   * `ageMs` ago at the latest.
   */
  readonly openLog: (key: string, onBatch: (header: BatchHeader, ageMs: number) => void) => PartitionLog;
  readonly knownProducers: KnownProducers;
  /** Where the bytes of all logs are counted. */
  readonly logSpace: ByteBudget;
  readonly disk: DiskSpace;
  /** Something moved in the partition. */
  readonly announce: (partition: Partition) => void;
  readonly selfId: number;
  /** A follower that has not caught up for so long (ms) is not in sync. */
  readonly replicaLagMs: number;
}

export class Partition {
  readonly topic: string;
  readonly index: number;
  /** The watch key of what waits for the high watermark, for the log's end or for its start. */
  readonly key: string;
  /** The watch key of what waits until this node has kept something. */
  readonly keptKey: string;
  readonly log: PartitionLog;
  /** Node ids, the leader's first. */
  readonly replicaIds: readonly number[];
  readonly isLed: boolean;
  readonly #context: PartitionContext;
  readonly #flusher: Flusher;
  readonly #producers: ProducerStates;
  readonly #replicas: InSyncReplicas;
  /** What the leader reported, when that is another node; all, until it has. */
  #heardInSync: readonly number[];
  #keptOffset: number;
  #highWatermark: number;
  #deleted = false;

  constructor(topic: string, index: number, replicaIds: readonly number[], context: PartitionContext) {
    const [leaderId, ...followerIds] = replicaIds;
    this.topic = topic;
    this.index = index;
    this.key = `${topic}-${index}`;
    this.keptKey = `${this.key}/kept`;
    this.replicaIds = replicaIds;
    this.isLed = leaderId === context.selfId;
    this.#context = context;
    this.#producers = new ProducerStates(context.knownProducers);
    this.log = context.openLog(this.key, (header, ageMs) => {
      // Followers take what their leader has checked.
      if (this.isLed) this.#producers.note(header, ageMs);
    });
    this.#flusher = new Flusher(this.log, context.flush, context.timer, (end) => this.#onKept(end));
    this.#heardInSync = replicaIds;
    this.#replicas = new InSyncReplicas(leaderId, followerIds, performance.now());
    this.#keptOffset = this.log.endOffset;
    this.#highWatermark = this.log.endOffset;
  }

  /** Consumers see what is below it, and acks=all waits for it. */
  get highWatermark(): number {
    return this.#highWatermark;
  }

  /**
   * Followers see what is below it, and acks=1 waits for it. It is never more than the leader has
   * kept, so no follower is ahead of its leader after a crash.
   */
  get keptOffset(): number {
    return this.#keptOffset;
  }

  get isDeleted(): boolean {
    return this.#deleted;
  }

  get inSyncReplicas(): readonly number[] {
    return this.isLed ? this.#replicas.ids : this.#heardInSync;
  }

  /** Whether so many replicas are in sync, the leader among them, which always is. */
  hasInSync(count: number): boolean {
    return count <= 1 || this.inSyncReplicas.length >= count;
  }

  /**
   * Appends a checked batch and returns its offset. The high watermark follows when the batch is
   * kept. A batch that came before has its offset already and is not appended again. Throws
   * RecordBatchError for a batch that its producer cannot have meant to send now, where there is no
   * room for it, and when fewer than `minInsyncReplicas` are in sync. Throws a FullDisk where the
   * disk has no room.
   */
  append(batch: RecordBatch, minInsyncReplicas: number): number {
    if (!this.hasInSync(minInsyncReplicas)) {
      const message = `${this.inSyncReplicas.length} replicas are in sync, where ${minInsyncReplicas} are needed`;
      throw new RecordBatchError(ErrorCode.NOT_ENOUGH_REPLICAS, message);
    }
    const known = this.#producers.check(batch);
    if (known !== undefined) return known;
    const { logSpace, disk } = this.#context;
    if (!logSpace.hasRoomFor(batch.size)) {
      const message = `no room for ${batch.size} bytes more, where --max-log-bytes is ${logSpace.maxBytes}`;
      throw new RecordBatchError(ErrorCode.POLICY_VIOLATION, message);
    }
    disk.checkRoomFor(batch.size);
    const baseOffset = this.log.append(batch);
    this.#producers.note({ ...batch, baseOffset });
    this.#flusher.onAppend();
    return baseOffset;
  }

  /**
   * On a follower: appends a batch of the leader's log. Throws RecordBatchError for one that is not
   * the next, a FullDisk as `append` does.
   */
  copy(batch: RecordBatch): void {
    const { startOffset, endOffset } = this.log;
    const holdsEnd = batch.baseOffset < endOffset && batch.baseOffset + batch.lastOffsetDelta >= endOffset;
    const isFirst = startOffset === endOffset && holdsEnd;
    if (batch.baseOffset !== endOffset && !isFirst) {
      const message = `a batch of offset ${batch.baseOffset}, where ${endOffset} is due`;
      throw new RecordBatchError(ErrorCode.CORRUPT_MESSAGE, message);
    }
    this.#context.disk.checkRoomFor(batch.size);
    // The leader's log starts in the middle of this batch: it is kept as a whole here too.
    if (isFirst) this.log.truncateTo(batch.baseOffset);
    this.log.append(batch);
    this.log.deleteBefore(startOffset);
    this.#flusher.onAppend();
  }

  /** On a follower: removes what the leader does not have. */
  truncateTo(offset: number): void {
    this.log.truncateTo(offset);
    this.#flusher.onTruncate();
    this.#keptOffset = Math.min(this.#keptOffset, this.log.endOffset);
    this.#highWatermark = Math.min(this.#highWatermark, this.log.endOffset);
  }

  /**
   * Removes everything before `offset`, for good, and notifies what waits for it. A follower whose
   * leader has deleted more than the follower ever had goes on behind its own end.
   */
  deleteBefore(offset: number): void {
    if (offset <= this.log.startOffset) return;
    this.log.deleteBefore(offset);
    this.#keptOffset = Math.max(this.#keptOffset, offset);
    this.#highWatermark = Math.max(this.#highWatermark, offset);
    this.#context.announce(this);
  }

  /**
   * On the leader: deletes the oldest files that the topic's settings do not ask to keep, none
   * beyond the high watermark.
   */
  retain({ retentionMs, retentionBytes }: Retention, nowMs: number): void {
    this.deleteBefore(this.log.retainedFrom(nowMs - retentionMs, retentionBytes, this.#highWatermark));
  }

  /** On a follower: the leader's high watermark. */
  follow(highWatermark: number): void {
    this.#highWatermark = Math.max(this.#highWatermark, Math.min(highWatermark, this.log.endOffset));
  }

  setInSyncReplicas(ids: readonly number[]): void {
    this.#heardInSync = ids;
  }

  /** On the leader: follower `id` fetches from `offset`, so it has all before. */
  noteFollower(id: number, offset: number): void {
    this.#replicas.note(id, offset, this.#keptOffset, this.#highWatermark, performance.now());
    this.#advance();
  }

  /** On the leader: goes on without the followers that lag behind. */
  shrinkInSyncReplicas(): void {
    this.#replicas.shrink(performance.now(), this.#context.replicaLagMs);
    this.#advance();
  }

  /** Resolves when what was appended before the call is kept. */
  flushed(): Promise<void> {
    return this.#flusher.settled();
  }

  /**
   * Ends all waits for this partition and removes its files. An operation that is tried again finds
   * the partition deleted.
   */
  delete(): void {
    this.#deleted = true;
    this.#producers.clear();
    void this.#flusher.stop();
    this.log.delete();
    this.#context.announce(this);
  }

  /** Resolves when what was appended is on the disk and the log is closed. */
  async close(): Promise<void> {
    await this.#flusher.stop();
    await this.log.flush();
    this.log.close();
  }

  #onKept(endOffset: number): void {
    if (endOffset <= this.#keptOffset || this.#deleted) return;
    this.#keptOffset = endOffset;
    if (!this.isLed) return;
    this.#highWatermark = Math.max(this.#highWatermark, this.#replicas.commonOffset(endOffset));
    this.#context.announce(this);
  }

  #advance(): void {
    const offset = this.#replicas.commonOffset(this.#keptOffset);
    if (offset <= this.#highWatermark || this.#deleted) return;
    this.#highWatermark = offset;
    this.#context.announce(this);
  }
}
