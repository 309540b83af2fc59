/**
 * What a partition knows of the idempotent producers that wrote to it, so that a batch that is sent
 * again is not kept again.
 *
 * Owns, for each producer id, its epoch and its last MAX_BATCHES batches. It gets every batch of
 * the log, in order, at the start and later: the log is its only source. KnownProducers decides
 * which producers are forgotten, and when. A producer that is not known may begin anywhere: it may
 * have been forgotten, or its topic deleted and made anew. O(1) each. (Kafka:
 * ProducerStateManager.)
 */
import { ErrorCode } from '../protocol/error-codes.ts';
import { type BatchHeader, RecordBatchError } from '../protocol/record-batch.ts';
import type { KnownProducer, KnownProducers } from './known-producers.ts';

/** As many batches as a producer may have on the way (max.in.flight.requests.per.connection). */
const MAX_BATCHES = 5;
/** Sequences are whole numbers of 31 bits, and go on with 0 after the last. */
const SEQUENCES = 2 ** 31;

interface KnownBatch {
  readonly baseSequence: number;
  readonly lastSequence: number;
  readonly baseOffset: number;
}

interface ProducerState extends KnownProducer {
  epoch: number;
  readonly batches: KnownBatch[];
}

export class ProducerStates {
  readonly #producers = new Map<number, ProducerState>();
  readonly #known: KnownProducers;

  constructor(known: KnownProducers) {
    this.#known = known;
  }

  /**
   * The offset that the batch got when it came before, or undefined for one that is due to be
   * appended. Throws a RecordBatchError for one that is neither: of an epoch that is over, with
   * sequences missing before it, or of one producer too many.
   */
  check(batch: BatchHeader): number | undefined {
    const { producerId, producerEpoch, baseSequence } = batch;
    if (producerId < 0) return undefined;
    this.#known.expire(performance.now());
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
    const first = state === undefined ? Math.max(0, baseSequence) : 0;
    const due = last === undefined ? first : (last.lastSequence + 1) % SEQUENCES;
    if (baseSequence !== due) {
      throw new RecordBatchError(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        `sequence ${baseSequence} of producer ${producerId}, where ${due} is due`,
      );
    }
    if (state === undefined && !this.#known.hasRoom()) {
      const message = `no room for one more idempotent producer, where --max-producers is ${this.#known.max}`;
      throw new RecordBatchError(ErrorCode.POLICY_VIOLATION, message);
    }
    return undefined;
  }

  /** The batch is in the log, for `ageMs` at most. */
  note(batch: BatchHeader, ageMs = 0): void {
    const { producerId, producerEpoch, baseSequence, baseOffset } = batch;
    if (producerId < 0) return;
    const state = this.#producers.get(producerId) ?? this.#add(producerId, producerEpoch);
    this.#known.note(state, performance.now() - ageMs);
    if (state.epoch !== producerEpoch) {
      state.epoch = producerEpoch;
      state.batches.length = 0;
    }
    state.batches.push({ baseSequence, lastSequence: lastSequenceOf(batch), baseOffset });
    if (state.batches.length > MAX_BATCHES) state.batches.shift();
  }

  /** The partition is no more. O(producers). */
  clear(): void {
    for (const state of this.#producers.values()) this.#known.remove(state);
    this.#producers.clear();
  }

  #add(producerId: number, epoch: number): ProducerState {
    const forget = () => void this.#producers.delete(producerId);
    const state: ProducerState = { epoch, batches: [], heardAt: 0, forget };
    this.#producers.set(producerId, state);
    return state;
  }
}

function lastSequenceOf({ baseSequence, lastOffsetDelta }: BatchHeader): number {
  return (baseSequence + lastOffsetDelta) % SEQUENCES;
}
