/**
 * What a partition knows of the idempotent producers that wrote to it, so that a batch that is sent again is not kept again.
 *
 * Owns, for each producer id, its epoch and its last MAX_BATCHES batches. It is fed every batch of the log, in order, at the start as
 * later: the log is its only source. A producer is remembered as long as its records are, which is for good. O(1) each.
 * (Kafka: ProducerStateManager, which forgets, and so takes any first sequence; here a producer begins at 0.)
 */
import { ErrorCode } from '../protocol/error-codes.ts';
import { type BatchHeader, RecordBatchError } from '../protocol/record-batch.ts';

/** As many batches as a producer may have on the way (max.in.flight.requests.per.connection). */
const MAX_BATCHES = 5;
/** Sequences are whole numbers of 31 bits, and go on with 0 after the last. */
const SEQUENCES = 2 ** 31;

interface KnownBatch {
  readonly baseSequence: number;
  readonly lastSequence: number;
  readonly baseOffset: number;
}

interface ProducerState {
  epoch: number;
  readonly batches: KnownBatch[];
}

export class ProducerStates {
  readonly #producers = new Map<number, ProducerState>();

  /**
   * The offset that the batch got when it came before, or undefined for one that is due to be appended. Throws a RecordBatchError for
   * one that is neither: of an epoch that is over, or with sequences missing before it.
   */
  check(batch: BatchHeader): number | undefined {
    const { producerId, producerEpoch, baseSequence } = batch;
    if (producerId < 0) return undefined;
    const state = this.#producers.get(producerId);
    if (state !== undefined && producerEpoch < state.epoch) {
      throw new RecordBatchError(
        ErrorCode.INVALID_PRODUCER_EPOCH,
        `epoch ${producerEpoch} of producer ${producerId}, which is in epoch ${state.epoch}`,
      );
    }
    const batches = state?.epoch === producerEpoch ? state.batches : [];
    const lastSequence = lastSequenceOf(batch);
    const known = batches.find(
      (each) => each.baseSequence === baseSequence && each.lastSequence === lastSequence,
    );
    if (known !== undefined) return known.baseOffset;
    const last = batches.at(-1);
    const due = last === undefined ? 0 : (last.lastSequence + 1) % SEQUENCES;
    if (baseSequence === due) return undefined;
    throw new RecordBatchError(
      ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
      `sequence ${baseSequence} of producer ${producerId}, where ${due} is due`,
    );
  }

  /** The batch is in the log. */
  note(batch: BatchHeader): void {
    const { producerId, producerEpoch, baseSequence, baseOffset } = batch;
    if (producerId < 0) return;
    let state = this.#producers.get(producerId);
    if (state === undefined) {
      state = { epoch: producerEpoch, batches: [] };
      this.#producers.set(producerId, state);
    }
    if (state.epoch !== producerEpoch) {
      state.epoch = producerEpoch;
      state.batches.length = 0;
    }
    state.batches.push({ baseSequence, lastSequence: lastSequenceOf(batch), baseOffset });
    if (state.batches.length > MAX_BATCHES) state.batches.shift();
  }
}

function lastSequenceOf({ baseSequence, lastOffsetDelta }: BatchHeader): number {
  return (baseSequence + lastOffsetDelta) % SEQUENCES;
}
