/**
 * A produce with acks=all: its records are in the log, and it waits until the high watermark of every partition is past them.
 *
 * At its deadline, partitions that are not there yet are answered with REQUEST_TIMED_OUT; their records may still become
 * visible. One whose followers fell out of sync meanwhile, so that too few have it, is told so. Trying is O(partitions). (Kafka: DelayedProduce.)
 */
import type { Partition } from '../log/partition.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { WaitingOperation } from './waiting-room.ts';

export interface PendingAck {
  readonly partition: Partition;
  /** Acknowledged when the high watermark is here or further. */
  readonly requiredOffset: number;
}

export class DelayedProduce extends WaitingOperation {
  readonly #pending: readonly PendingAck[];
  readonly #respond: (errorCodes: Map<Partition, number>) => void;

  constructor(
    timeoutMs: number,
    pending: readonly PendingAck[],
    respond: (errorCodes: Map<Partition, number>) => void,
  ) {
    super(timeoutMs);
    this.#pending = pending;
    this.#respond = respond;
  }

  override tryComplete(): boolean {
    return this.#pending.every((ack) => errorOf(ack) !== ErrorCode.REQUEST_TIMED_OUT) && this.forceComplete();
  }

  protected override answer(): void {
    this.#respond(new Map(this.#pending.map((ack) => [ack.partition, errorOf(ack)])));
  }
}

/** The error that the partition would be answered with now; NONE when it has acknowledged. */
function errorOf({ partition, requiredOffset }: PendingAck): number {
  if (partition.isDeleted) return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  if (partition.highWatermark < requiredOffset) return ErrorCode.REQUEST_TIMED_OUT;
  return partition.hasEnoughReplicas ? ErrorCode.NONE : ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND;
}
