/**
 * Copies the partitions that one other node leads and this node replicates: a loop of Fetch
 * requests, as any consumer's but with a replica id. The leader parks one that finds nothing as a
 * DelayedFetch, and learns from its offsets how far this node is; so offsets are asked for only
 * when what is below them is kept here (see Flusher).
 *
 * Owns its connection. A leader that is not there is tried again after RETRY_MS; the copy goes on
 * where it was, once the logs are found to be the same up to there. They are looked at for each
 * connection: only a leader that was started again can have another log.
 */

import type { SystemTimer } from 'purgatory';
import type { Node } from '../cluster.ts';
import type { Partition } from '../log/partition.ts';
import type { Log } from '../log-lines.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { CONSUMER, FETCH_VERSION, fetchRequest } from '../protocol/fetch-request.ts';
import { RecordBatchError, readBatches } from '../protocol/record-batch.ts';
import { FullDisk } from '../storage/full-disk.ts';
import { alignWithLeader } from './align.ts';
import { PeerClient, type ResponseMessage } from './peer-client.ts';

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
  readonly log: Log;
}

type Answered = ResponseMessage<'Fetch'>['responses'][number]['partitions'][number];

export class ReplicaFetcher {
  readonly #options: ReplicaFetcherOptions;
  readonly #client: PeerClient;
  /** By this connection. */
  readonly #aligned = new Set<Partition>();
  #isStopped = false;
  #loop: Promise<void> | undefined;

  constructor(options: ReplicaFetcherOptions) {
    this.#options = options;
    this.#client = new PeerClient(options.leader.port, `replica-${options.selfId}`, options.timer);
  }

  start(): void {
    // A fault of this node (its disk, say) ends the process: the loop only takes care of those of
    // the leader.
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
      if (partitions.length === 0 || !(await this.#round(partitions))) await this.#pause();
    }
  }

  /** Copies what the leader has now; true iff all went well. A full disk is waited out. */
  async #round(partitions: readonly Partition[]): Promise<boolean> {
    try {
      return (await this.#align(partitions)) && (await this.#copy(partitions));
    } catch (error) {
      if (!(error instanceof FullDisk)) throw error;
      this.#options.log(`copied nothing from node ${this.#options.leader.id}: ${error.message}`, 'limited');
      return false;
    }
  }

  async #align(partitions: readonly Partition[]): Promise<boolean> {
    if (!this.#client.isConnected) this.#aligned.clear();
    for (const partition of partitions) {
      if (this.#aligned.has(partition)) continue;
      const fetch = (of: Partition, offset: number, maxBytes: number) =>
        this.#fetchBatch(of, offset, maxBytes);
      if (!(await alignWithLeader(partition, fetch, this.#options.log))) return false;
      this.#aligned.add(partition);
    }
    return true;
  }

  async #copy(partitions: readonly Partition[]): Promise<boolean> {
    const { selfId, maxWaitMs } = this.#options;
    await Promise.all(partitions.map((partition) => partition.flushed()));
    const wanted = partitions.map((partition) => [partition, partition.log.endOffset] as const);
    const answer = await this.#fetch(selfId, maxWaitMs, wanted, PARTITION_MAX_BYTES);
    return answer !== undefined && this.#take(partitions, answer);
  }

  /** As a consumer: what it asks for says nothing of what this node has. */
  async #fetchBatch(partition: Partition, offset: number, maxBytes: number): Promise<Answered | undefined> {
    const answer = await this.#fetch(CONSUMER, 0, [[partition, offset]], maxBytes);
    return answer?.responses[0]?.partitions[0];
  }

  async #fetch(
    replicaId: number,
    maxWaitMs: number,
    wanted: readonly (readonly [partition: Partition, offset: number])[],
    partitionMaxBytes: number,
  ): Promise<ResponseMessage<'Fetch'> | undefined> {
    const partitions = wanted.map(([{ topic, index }, fetchOffset]) => ({
      topic,
      partition: index,
      fetchOffset,
    }));
    const request = fetchRequest(replicaId, maxWaitMs, partitions, MAX_BYTES, partitionMaxBytes);
    return this.#client.send('Fetch', FETCH_VERSION, request, maxWaitMs + PATIENCE_MS).catch(() => undefined);
  }

  /** True iff the leader had no error to tell. */
  #take(partitions: readonly Partition[], { responses }: ResponseMessage<'Fetch'>): boolean {
    let isClean = responses.length === partitions.length;
    for (const [index, { partitions: answered }] of responses.entries()) {
      isClean = this.#takePartition(partitions[index], answered[0]) && isClean;
    }
    return isClean;
  }

  #takePartition(partition: Partition, answered: Answered): boolean {
    const { errorCode, logStartOffset } = answered;
    if (partition.isDeleted) return false;
    if (errorCode === ErrorCode.OFFSET_OUT_OF_RANGE && logStartOffset > partition.log.endOffset) {
      // The leader has deleted what is due here: there is nothing to copy before its start.
      partition.deleteBefore(logStartOffset);
      return true;
    }
    if (errorCode !== ErrorCode.NONE) return false;
    try {
      for (const batch of readBatches(Buffer.concat(answered.records ?? []))) partition.copy(batch);
    } catch (error) {
      if (!(error instanceof RecordBatchError)) throw error;
      this.#options.log(
        `a batch for "${partition.key}" from its leader was refused: ${error.message}`,
        'limited',
      );
      return false;
    }
    partition.follow(answered.highWatermark);
    partition.deleteBefore(Math.min(logStartOffset, partition.log.endOffset));
    return true;
  }

  async #pause(): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => this.#options.timer.schedule(resolve, RETRY_MS));
  }
}
