/**
 * A partition as its leader sees it: the log, and the high watermark up to which it is shown and acknowledged.
 *
 * Owns the high watermark: it follows what is kept (see Flusher), never goes back, and every move of it is announced under `key`, the
 * watch key of everything that waits for this partition.
 */
import type { SystemTimer } from 'purgatory';
import type { RecordBatch } from '../protocol/record-batch.ts';
import { Flusher, type FlushPolicy } from './flusher.ts';
import type { PartitionLog } from './partition-log.ts';

/** Leadership is static: the first epoch is the only one. */
export const LEADER_EPOCH = 0;

/** What the partitions of a node share. */
export interface PartitionContext {
  readonly timer: SystemTimer;
  readonly flush: FlushPolicy;
  /** Something moved in the partition with this key. */
  readonly announce: (key: string) => void;
}

export class Partition {
  readonly topic: string;
  readonly index: number;
  readonly key: string;
  readonly log: PartitionLog;
  readonly #announce: (key: string) => void;
  readonly #flusher: Flusher;
  #highWatermark: number;
  #deleted = false;

  constructor(topic: string, index: number, log: PartitionLog, context: PartitionContext) {
    this.topic = topic;
    this.index = index;
    this.key = `${topic}-${index}`;
    this.log = log;
    this.#announce = context.announce;
    this.#flusher = new Flusher(log, context.flush, context.timer, (end) => this.#advanceTo(end));
    this.#highWatermark = log.endOffset;
  }

  /** Consumers see what lies below it, and acks=all waits for it. */
  get highWatermark(): number {
    return this.#highWatermark;
  }

  get isDeleted(): boolean {
    return this.#deleted;
  }

  /** Appends checked batches and returns the first one's offset. The high watermark follows when they are kept. */
  append(batches: readonly RecordBatch[]): number {
    const baseOffset = this.log.endOffset;
    for (const batch of batches) this.log.append(batch, LEADER_EPOCH);
    this.#flusher.onAppend();
    return baseOffset;
  }

  /** Ends all waiting for this partition, whoever tries again finds it deleted, and takes its files away. */
  delete(): void {
    this.#deleted = true;
    void this.#flusher.stop();
    this.log.delete();
    this.#announce(this.key);
  }

  /** Resolves when what was appended is on the disk and the log is closed. */
  async close(): Promise<void> {
    await this.#flusher.stop();
    await this.log.flush();
    this.log.close();
  }

  #advanceTo(offset: number): void {
    if (offset <= this.#highWatermark || this.#deleted) return;
    this.#highWatermark = offset;
    this.#announce(this.key);
  }
}
