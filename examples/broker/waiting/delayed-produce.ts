/**
 * A produce with acks=1 or acks=all. Its records are in the log, and it waits until every partition
 * is past them: with acks=1 what the leader has kept, with acks=all the high watermark. It waits
 * for nothing else, so a ThresholdPurgatory keeps it. When such an offset moves, produces that wait
 * for more are not looked at.
 *
 * At its deadline, partitions that are not there yet are answered with REQUEST_TIMED_OUT. Their
 * records may still become visible. With acks=all, a partition whose followers fell out of sync
 * meanwhile, so that too few have the records, gets an error that says so. (Kafka: DelayedProduce,
 * for acks=all alone: its acks=1 does not wait for the disk.)
 */
import type { ThresholdPurgatory } from 'purgatory/threshold';
import type { Partition } from '../log/partition.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { WaitingOperation } from './waiting-room.ts';

/**
 * Each partition has two keys in it: the value of `key` is its high watermark, that of `keptKey`
 * its kept offset.
 */
export type AckPurgatory = ThresholdPurgatory<string, number, WaitingOperation>;

/** A partition that is deleted is past all offsets, then forgotten. */
export function advanceAcks(
  acks: AckPurgatory,
  { key, keptKey, highWatermark, keptOffset, isDeleted }: Partition,
): void {
  acks.advance(keptKey, isDeleted ? Infinity : keptOffset);
  acks.advance(key, isDeleted ? Infinity : highWatermark);
  if (!isDeleted) return;
  acks.delete(keptKey);
  acks.delete(key);
}

export interface PendingAck {
  readonly partition: Partition;
  /** Acknowledged when the partition is here or further. */
  readonly requiredOffset: number;
  /** With acks=all, an error tells if fewer are in sync then. */
  readonly minInsyncReplicas: number;
}

export class DelayedProduce extends WaitingOperation {
  readonly #pending: readonly PendingAck[];
  readonly #forAll: boolean;
  readonly #respond: (errorCodes: Map<Partition, number>) => void;

  constructor(
    timeoutMs: number,
    pending: readonly PendingAck[],
    forAll: boolean,
    respond: (errorCodes: Map<Partition, number>) => void,
  ) {
    super(timeoutMs);
    this.#pending = pending;
    this.#forAll = forAll;
    this.#respond = respond;
  }

  /** What it waits for: keys, each with its offset. */
  get watched(): (readonly [key: string, offset: number])[] {
    return this.#pending.map(({ partition: { key, keptKey }, requiredOffset }) => [
      this.#forAll ? key : keptKey,
      requiredOffset,
    ]);
  }

  override tryComplete(): boolean {
    return this.forceComplete();
  }

  protected override answer(): void {
    this.#respond(new Map(this.#pending.map((ack) => [ack.partition, this.#errorOf(ack)])));
  }

  /** The error that the partition would be answered with now; NONE when it has acknowledged. */
  #errorOf({ partition, requiredOffset, minInsyncReplicas }: PendingAck): number {
    if (partition.isDeleted) return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    const reached = this.#forAll ? partition.highWatermark : partition.keptOffset;
    if (reached < requiredOffset) return ErrorCode.REQUEST_TIMED_OUT;
    const isEnough = !this.#forAll || partition.hasInSync(minInsyncReplicas);
    return isEnough ? ErrorCode.NONE : ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND;
  }
}
