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
import type { Draft, Message } from '../../../../examples/broker/protocol/schema.ts';
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
