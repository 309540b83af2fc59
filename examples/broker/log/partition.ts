/**
 * A partition as its leader sees it: the log, and the high watermark up to which it is shown and acknowledged.
 *
 * Owns the high watermark: it follows what is kept (see Flusher), never goes back, and every move of it is announced under `key`, the
 * watch key of everything that waits for this partition.
 */
import type { SystemTimer } from 'purgatory';
import type { BatchHeader, RecordBatch } from '../protocol/record-batch.ts';
import { Flusher, type FlushPolicy } from './flusher.ts';
import type { PartitionLog } from './partition-log.ts';
import { ProducerStates } from './producer-states.ts';

/** Leadership is static: the first epoch is the only one. */
export const LEADER_EPOCH = 0;

/** What the partitions of a node share. */
export interface PartitionContext {
  readonly timer: SystemTimer;
  readonly flush: FlushPolicy;
  /** Opens the log of the partition with this key; `onBatch` sees each batch that is in it. */
  readonly openLog: (key: string, onBatch: (header: BatchHeader) => void) => PartitionLog;
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
  readonly #producers = new ProducerStates();
  #highWatermark: number;
  #deleted = false;

  constructor(topic: string, index: number, context: PartitionContext) {
    this.topic = topic;
    this.index = index;
    this.key = `${topic}-${index}`;
    this.log = context.openLog(this.key, (header) => this.#producers.note(header));
    this.#announce = context.announce;
    this.#flusher = new Flusher(this.log, context.flush, context.timer, (end) => this.#advanceTo(end));
    this.#highWatermark = this.log.endOffset;
  }

  /** Consumers see what lies below it, and acks=all waits for it. */
  get highWatermark(): number {
    return this.#highWatermark;
  }

  get isDeleted(): boolean {
    return this.#deleted;
  }

  /**
   * Appends a checked batch and returns its offset; the high watermark follows when it is kept. A batch that came before has its offset
   * already and is not appended again. Throws RecordBatchError for one that its producer cannot have meant to send now.
   */
  append(batch: RecordBatch): number {
    const known = this.#producers.check(batch);
    if (known !== undefined) return known;
    const baseOffset = this.log.append(batch, LEADER_EPOCH);
    this.#producers.note({ ...batch, baseOffset });
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
