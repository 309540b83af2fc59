/**
 * A partition as its leader sees it: the log, and the high watermark up to which it is shown and acknowledged.
 *
 * Owns the high watermark: it follows what is durable, never goes back, and every move of it is announced under `key`, the watch
 * key of everything that waits for this partition. A flush runs while there is something to flush, one at a time, so that
 * the appends made meanwhile share the next one.
 */
import type { RecordBatch } from '../protocol/record-batch.ts';
import type { PartitionLog } from './partition-log.ts';

/** Leadership is static: the first epoch is the only one. */
export const LEADER_EPOCH = 0;

export class Partition {
  readonly topic: string;
  readonly index: number;
  readonly key: string;
  readonly log: PartitionLog;
  readonly #announce: (key: string) => void;
  #highWatermark: number;
  #flushing = false;
  #deleted = false;

  constructor(topic: string, index: number, log: PartitionLog, announce: (key: string) => void) {
    this.topic = topic;
    this.index = index;
    this.key = `${topic}-${index}`;
    this.log = log;
    this.#announce = announce;
    this.#highWatermark = log.endOffset;
  }

  /** Consumers see what lies below it, and acks=all waits for it. */
  get highWatermark(): number {
    return this.#highWatermark;
  }

  get isDeleted(): boolean {
    return this.#deleted;
  }

  /** Appends checked batches and returns the first one's offset. The high watermark follows when they are durable. */
  append(batches: readonly RecordBatch[]): number {
    const baseOffset = this.log.endOffset;
    for (const batch of batches) this.log.append(batch, LEADER_EPOCH);
    this.#flush();
    return baseOffset;
  }

  /** Ends all waiting for this partition: whoever tries again finds it deleted. */
  delete(): void {
    this.#deleted = true;
    this.log.close();
    this.#announce(this.key);
  }

  #flush(): void {
    if (this.#flushing || this.#deleted || this.#highWatermark === this.log.endOffset) return;
    this.#flushing = true;
    // Nothing may go on after a flush that failed: its rejection is left to end the process.
    void this.log.flush().then((durable) => {
      this.#flushing = false;
      this.#advanceTo(durable);
      this.#flush();
    });
  }

  #advanceTo(offset: number): void {
    if (offset <= this.#highWatermark || this.#deleted) return;
    this.#highWatermark = offset;
    this.#announce(this.key);
  }
}
