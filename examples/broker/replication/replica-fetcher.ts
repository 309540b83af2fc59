/**
 * Copies the partitions that one other node leads and this node replicates: a loop of Fetch requests, as any consumer's but with a
 * replica id. The leader parks one that finds nothing as a DelayedFetch, and learns from its offsets how far this node is; so
 * offsets are asked for only when what is below them is kept here (see Flusher).
 *
 * Owns its connection. A leader that is not there is tried again after RETRY_MS; the copy goes on where it was.
 */
import type { SystemTimer } from 'purgatory';
import type { Node } from '../cluster.ts';
import type { Partition } from '../log/partition.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { RecordBatchError, readBatches } from '../protocol/record-batch.ts';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import { PeerClient, type ResponseMessage } from './peer-client.ts';

const FETCH_VERSION = 12;
const LIST_OFFSETS_VERSION = 6;
const LATEST = -1;
const RETRY_MS = 100;
/** How long a leader may take beyond the time that it may let a fetch wait. */
const PATIENCE_MS = 2000;
/** Kafka's replica.fetch.max.bytes and replica.fetch.response.max.bytes. */
const PARTITION_MAX_BYTES = 1024 * 1024;
const MAX_BYTES = 10 * 1024 * 1024;

export interface ReplicaFetcherOptions {
  readonly leader: Node;
  readonly selfId: number;
  readonly timer: SystemTimer;
  /** How long the leader may let a fetch wait (ms). */
  readonly maxWaitMs: number;
  /** What this node replicates of that leader, at the time. */
  readonly partitions: () => readonly Partition[];
  readonly log: (line: string) => void;
}

type Answered = ResponseMessage<'Fetch'>['responses'][number]['partitions'][number];

export class ReplicaFetcher {
  readonly #options: ReplicaFetcherOptions;
  readonly #client: PeerClient;
  #isStopped = false;
  #loop: Promise<void> | undefined;

  constructor(options: ReplicaFetcherOptions) {
    this.#options = options;
    this.#client = new PeerClient(options.leader.port, `replica-${options.selfId}`, options.timer);
  }

  start(): void {
    // A fault of this node (its disk, say) ends the process: the loop only takes care of those of the leader.
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#client.close();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const partitions = this.#options.partitions();
      const answer = partitions.length === 0 ? undefined : await this.#fetch(partitions);
      if (answer === undefined || !(await this.#take(partitions, answer))) await this.#pause();
    }
  }

  async #fetch(partitions: readonly Partition[]): Promise<ResponseMessage<'Fetch'> | undefined> {
    const { selfId, maxWaitMs } = this.#options;
    const request = {
      replicaId: selfId,
      maxWaitMs,
      minBytes: 1,
      maxBytes: MAX_BYTES,
      isolationLevel: 0,
      sessionId: 0,
      sessionEpoch: -1,
      topics: partitions.map(({ topic, index, log }) => ({
        topic,
        topicId: NO_TOPIC_ID,
        partitions: [
          { partition: index, fetchOffset: log.endOffset, partitionMaxBytes: PARTITION_MAX_BYTES },
        ],
      })),
      forgottenTopicsData: [],
      rackId: '',
    };
    return this.#client.send('Fetch', FETCH_VERSION, request, maxWaitMs + PATIENCE_MS).catch(() => undefined);
  }

  /** True iff the leader had no error to tell. Resolves when what came is kept. */
  async #take(partitions: readonly Partition[], { responses }: ResponseMessage<'Fetch'>): Promise<boolean> {
    let isClean = responses.length === partitions.length;
    for (const [index, { partitions: answered }] of responses.entries()) {
      isClean = (await this.#takePartition(partitions[index], answered[0])) && isClean;
    }
    await Promise.all(partitions.map((partition) => partition.flushed()));
    return isClean;
  }

  async #takePartition(partition: Partition, answered: Answered): Promise<boolean> {
    if (partition.isDeleted) return false;
    if (answered.errorCode === ErrorCode.OFFSET_OUT_OF_RANGE) await this.#truncate(partition);
    if (answered.errorCode !== ErrorCode.NONE) return false;
    try {
      for (const batch of readBatches(Buffer.concat(answered.records ?? []))) partition.copy(batch);
    } catch (error) {
      if (!(error instanceof RecordBatchError)) throw error;
      this.#options.log(`a batch for ${partition.key} from its leader was refused: ${error.message}`);
      return false;
    }
    partition.follow(answered.highWatermark);
    return true;
  }

  /** This node has what the leader has not: the leader's log is the one that counts. */
  async #truncate(partition: Partition): Promise<void> {
    const { topic, index, log } = partition;
    const request = {
      replicaId: this.#options.selfId,
      isolationLevel: 0,
      topics: [{ name: topic, partitions: [{ partitionIndex: index, timestamp: LATEST }] }],
    };
    const answer = await this.#client
      .send('ListOffsets', LIST_OFFSETS_VERSION, request, PATIENCE_MS)
      .catch(() => undefined);
    const latest = answer?.topics[0]?.partitions[0];
    if (latest?.errorCode !== ErrorCode.NONE || latest.offset >= log.endOffset) return;
    this.#options.log(
      `cut ${partition.key} from offset ${log.endOffset} to ${latest.offset}, where its leader ends`,
    );
    partition.truncateTo(latest.offset);
  }

  async #pause(): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => this.#options.timer.schedule(resolve, RETRY_MS));
  }
}
