/**
 * A client that speaks the protocol by the broker's own table, for what no real client does:
 * waiting to be seen, pipelining, going away, sending rubbish.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Request } from '../../../../examples/broker/network/exchange.ts';
import { FrameSplitter } from '../../../../examples/broker/network/frames.ts';
import { decode, encode } from '../../../../examples/broker/protocol/codec.ts';
import { type ApiName, apis } from '../../../../examples/broker/protocol/messages/index.ts';
import { Reader } from '../../../../examples/broker/protocol/reader.ts';
import { type Draft, type Message, NO_TOPIC_ID } from '../../../../examples/broker/protocol/schema.ts';
import { Writer } from '../../../../examples/broker/protocol/writer.ts';

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

  /** Makes topics by asking for them, as clients do. Resolves to the error codes. */
  async createTopics(...names: string[]): Promise<number[]> {
    const topics = names.map((name) => ({ topicId: NO_TOPIC_ID, name }));
    const answer = await this.send('Metadata', 4, { topics, allowAutoTopicCreation: true } as never);
    return answer.topics.map(({ errorCode }) => errorCode);
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

  async closed(): Promise<void> {
    // Not `once`, which would reject for a reset.
    if (!this.socket.closed) await new Promise((resolve) => this.socket.once('close', resolve));
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** A fetch of one partition, with the broker's leave to wait. */
export function fetchRequest(
  topic: string,
  partition: number,
  fetchOffset: number,
  wait: { maxWaitMs: number; minBytes: number; maxBytes?: number; partitionMaxBytes?: number },
): Request<'Fetch'> {
  return {
    replicaId: -1,
    maxWaitMs: wait.maxWaitMs,
    minBytes: wait.minBytes,
    maxBytes: wait.maxBytes ?? 2 ** 26,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [
      {
        topic,
        topicId: '00000000-0000-0000-0000-000000000000',
        partitions: [
          {
            partition,
            currentLeaderEpoch: -1,
            fetchOffset,
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
