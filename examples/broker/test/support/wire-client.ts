/**
 * A client that speaks the protocol by the broker's own table, for what no real client does:
 * waiting to be seen, pipelining, going away, sending rubbish.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Request } from '../../network/exchange.ts';
import { FrameSplitter } from '../../network/frames.ts';
import { decode, encode } from '../../protocol/codec.ts';
import { ErrorCode } from '../../protocol/error-codes.ts';
import { type ApiName, apis } from '../../protocol/messages/index.ts';
import { Reader } from '../../protocol/reader.ts';
import { type Draft, type Message, NO_TOPIC_ID } from '../../protocol/schema.ts';
import { Writer } from '../../protocol/writer.ts';

export const HOUR_MS = 3_600_000;

type RequestDraft<N extends ApiName> = Draft<(typeof apis)[N]['request']>;
type ResponseMessage<N extends ApiName> = Message<(typeof apis)[N]['response']>;

export function requestFrame<N extends ApiName>(
  name: N,
  version: number,
  correlationId: number,
  request: RequestDraft<N>,
): Buffer {
  const api = apis[name];
  const flexible = version >= api.flexible;
  const writer = new Writer();
  writer.int16(api.key);
  writer.int16(version);
  writer.int32(correlationId);
  writer.string('wire-client', false);
  if (flexible) writer.noTags();
  encode(writer, api.request, version, flexible, request as Draft<typeof api.request>);
  return Buffer.concat(writer.finish());
}

type WantedTopic = Partial<RequestDraft<'CreateTopics'>['topics'][number]>;

/** Who commits, and what it says to it. Nobody of the group, without an id. */
export interface Committer {
  readonly memberId?: string;
  readonly generationId?: number;
  readonly metadata?: string;
}

export class WireClient {
  readonly socket: Socket;
  readonly #frames = new FrameSplitter(2 ** 31 - 1);
  readonly #waiting = new Map<number, (frame: Buffer) => void>();
  /** The correlation ids of the answers, in the order they came. */
  readonly answered: number[] = [];
  #correlationId = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#frames.push(chunk);
      for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next()) {
        const id = frame.readInt32BE(0);
        this.answered.push(id);
        this.#waiting.get(id)?.(frame);
        this.#waiting.delete(id);
      }
    });
    // The broker cuts hostile connections off; the tests look at 'close'.
    socket.on('error', () => {});
  }

  static async connect(port: number): Promise<WireClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new WireClient(socket);
  }

  /** Sends without waiting; resolves to the answer. */
  send<N extends ApiName>(name: N, version: number, request: RequestDraft<N>): Promise<ResponseMessage<N>> {
    const id = ++this.#correlationId;
    this.socket.write(requestFrame(name, version, id, request));
    return new Promise((resolve) => {
      this.#waiting.set(id, (frame) => {
        const api = apis[name];
        const flexible = version >= api.flexible;
        const reader = new Reader(frame);
        reader.int32();
        if (flexible && name !== 'ApiVersions') reader.skipTags();
        resolve(decode(reader, api.response, version, flexible) as ResponseMessage<N>);
      });
    });
  }

  /** Whether it gets an answer, and that without an error. */
  async isServed(): Promise<boolean> {
    return (await this.send('ApiVersions', 0, {} as never)).errorCode === ErrorCode.NONE;
  }

  /** Makes topics by asking for them, as clients do. Resolves to the error codes. */
  async createTopics(...names: string[]): Promise<number[]> {
    const topics = names.map((name) => ({ topicId: NO_TOPIC_ID, name }));
    const answer = await this.send('Metadata', 4, { topics, allowAutoTopicCreation: true } as never);
    return answer.topics.map(({ errorCode }) => errorCode);
  }

  /** Makes a topic on purpose, with the defaults of the broker. Resolves to the answer for it. */
  async createTopic(name: string, wanted: WantedTopic = {}, validateOnly = false) {
    const defaults = { numPartitions: -1, replicationFactor: -1, assignments: [], configs: [] };
    const topics = [{ ...defaults, ...wanted, name }];
    return (await this.send('CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly })).topics[0];
  }

  /** Gives a topic that many partitions in all. Resolves to the answer for it. */
  async grow(name: string, count: number, assigned: number[][] | null = null, validateOnly = false) {
    const assignments = assigned?.map((brokerIds) => ({ brokerIds })) ?? null;
    const request = { topics: [{ name, count, assignments }], timeoutMs: 1000, validateOnly };
    return (await this.send('CreatePartitions', 3, request)).results[0];
  }

  deleteTopics(...topicNames: string[]) {
    return this.send('DeleteTopics', 1, { topics: [], topicNames, timeoutMs: 1000 });
  }

  /** Deletes the records before an offset. Resolves to the answer for the partition. */
  async deleteBefore(topic: string, offset: number, partitionIndex = 0) {
    const topics = [{ name: topic, partitions: [{ partitionIndex, offset }] }];
    return (await this.send('DeleteRecords', 2, { topics, timeoutMs: 1000 })).topics[0].partitions[0];
  }

  /** Sends one batch. Resolves to the answer for its partition. */
  async produce(topic: string, partition: number, acks: number, records: Buffer | null) {
    const request = produceRequest(topic, partition, acks, records);
    return (await this.send('Produce', 8, request)).responses[0].partitionResponses[0];
  }

  /** Fetches of one partition. Resolves to the answer for it. */
  async fetch(...of: Parameters<typeof fetchRequest>) {
    return (await this.send('Fetch', 11, fetchRequest(...of))).responses[0].partitions[0];
  }

  /** Fetches of a topic from the beginning, and waits an hour for the first record. */
  park(topic = 't', partition = 0) {
    return this.fetch(topic, partition, 0, { maxWaitMs: HOUR_MS });
  }

  /** Asks partition 0 for the offset of a time, or for one of its ends. Resolves to the answer for it. */
  async findOffset(topic: string, timestamp: number, version = 7, more: { maxNumOffsets?: number } = {}) {
    const topics = [{ name: topic, partitions: [{ partitionIndex: 0, timestamp, ...more }] }];
    const request = { replicaId: -1, isolationLevel: 0, topics, timeoutMs: 1000 };
    return (await this.send('ListOffsets', version, request)).topics[0].partitions[0];
  }

  /** Commits an offset for each partition of a topic, from 0 on. Resolves to the error codes. */
  async commit(groupId: string, topic: string, offsets: readonly number[], by: Committer = {}) {
    const { memberId = '', generationId = -1, metadata = '' } = by;
    const partitions = offsets.map((committedOffset, partitionIndex) => ({
      partitionIndex,
      committedOffset,
      committedLeaderEpoch: -1,
      committedMetadata: metadata,
    }));
    const topics = [{ name: topic, partitions }];
    const request = { groupId, generationId, memberId, groupInstanceId: null, topics };
    const answer = await this.send('OffsetCommit', 8, request);
    return answer.topics[0].partitions.map(({ errorCode }) => errorCode);
  }

  /** What a group has committed for partition 0 of a topic. */
  async committed(groupId: string, topic: string) {
    const topics = [{ name: topic, partitionIndexes: [0] }];
    const request = { groupId, topics, groups: [], requireStable: false };
    return (await this.send('OffsetFetch', 1, request)).topics[0].partitions[0];
  }

  /** Joins the group `g` with one protocol, at once: an old client brings no member id. */
  join(joining: Partial<RequestDraft<'JoinGroup'>> = {}, version = 3) {
    return this.send('JoinGroup', version, {
      groupId: 'g',
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 5000,
      memberId: '',
      groupInstanceId: null,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
      ...joining,
    });
  }

  /** Syncs with the group `g`. `shares` has what members get, by their ids. */
  sync(
    memberId: string,
    generationId: number,
    shares: Record<string, string | Buffer> = {},
    more: Partial<RequestDraft<'SyncGroup'>> = {},
  ) {
    return this.send('SyncGroup', 5, {
      groupId: 'g',
      generationId,
      memberId,
      groupInstanceId: null,
      protocolType: 'consumer',
      protocolName: 'range',
      assignments: Object.entries(shares).map(([id, share]) => ({
        memberId: id,
        assignment: Buffer.from(share as string),
      })),
      ...more,
    });
  }

  /** Resolves to the error code. */
  async heartbeat(
    memberId: string,
    generationId: number,
    groupInstanceId: string | null = null,
    groupId = 'g',
  ) {
    const member = { groupId, generationId, memberId, groupInstanceId };
    return (await this.send('Heartbeat', 4, member)).errorCode;
  }

  leave(memberId: string, groupId = 'g') {
    return this.send('LeaveGroup', 1, { groupId, memberId, members: [] });
  }

  async describeGroup(groupId = 'g') {
    const request = { groups: [groupId], includeAuthorizedOperations: false };
    return (await this.send('DescribeGroups', 5, request)).groups[0];
  }

  async listGroups(...statesFilter: string[]) {
    return (await this.send('ListGroups', 5, { statesFilter, typesFilter: [] })).groups;
  }

  async closed(): Promise<void> {
    // Not `once`, which would reject for a reset.
    if (!this.socket.closed) await new Promise((resolve) => this.socket.once('close', resolve));
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** A fetch of one partition, which does not wait unless it is told to. */
export function fetchRequest(
  topic: string,
  partition: number,
  fetchOffset: number,
  wait: { maxWaitMs?: number; minBytes?: number; maxBytes?: number; partitionMaxBytes?: number } = {},
): Request<'Fetch'> {
  return {
    replicaId: -1,
    maxWaitMs: wait.maxWaitMs ?? 0,
    minBytes: wait.minBytes ?? 1,
    maxBytes: wait.maxBytes ?? 2 ** 26,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [
      {
        topic,
        topicId: NO_TOPIC_ID,
        partitions: [
          {
            partition,
            fetchOffset,
            currentLeaderEpoch: -1,
            lastFetchedEpoch: -1,
            logStartOffset: -1,
            partitionMaxBytes: wait.partitionMaxBytes ?? 2 ** 26,
          },
        ],
      },
    ],
    forgottenTopicsData: [],
    rackId: '',
  };
}

export function produceRequest(
  topic: string,
  partition: number,
  acks: number,
  records: Buffer | null,
): Request<'Produce'> {
  return {
    transactionalId: null,
    acks,
    timeoutMs: 10_000,
    topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
  };
}
