/**
 * A node's own client: one request at a time to one other node, over a connection that is made when
 * there is none.
 *
 * Owns its socket. Whatever goes wrong (no answer in time, a reset, bytes that are no answer)
 * rejects the request and ends the connection; the next request makes a new one.
 */
import { connect, type Socket } from 'node:net';
import type { SystemTimer } from 'purgatory';
import { FrameSplitter } from '../network/frames.ts';
import { decode, encode } from '../protocol/codec.ts';
import { type ApiName, apis } from '../protocol/messages/index.ts';
import { Reader } from '../protocol/reader.ts';
import type { Draft, Message } from '../protocol/schema.ts';
import { Writer } from '../protocol/writer.ts';

const HOST = '127.0.0.1';
const MAX_FRAME_BYTES = 2 ** 31 - 1;

export type RequestDraft<N extends ApiName> = Draft<(typeof apis)[N]['request']>;
export type ResponseMessage<N extends ApiName> = Message<(typeof apis)[N]['response']>;

export class PeerClient {
  readonly #port: number;
  readonly #clientId: string;
  readonly #timer: SystemTimer;
  #socket: Socket | undefined;
  #frames = new FrameSplitter(MAX_FRAME_BYTES);
  #correlationId = 0;
  #isClosed = false;

  constructor(port: number, clientId: string, timer: SystemTimer) {
    this.#port = port;
    this.#clientId = clientId;
    this.#timer = timer;
  }

  get isConnected(): boolean {
    return this.#socket !== undefined && !this.#socket.destroyed;
  }

  /**
   * Resolves to the answer. Rejects when there is none after `timeoutMs`, or will never be. Not to
   * be called while another is awaited.
   */
  async send<N extends ApiName>(
    name: N,
    version: number,
    request: RequestDraft<N>,
    timeoutMs: number,
  ): Promise<ResponseMessage<N>> {
    if (this.#isClosed) throw new Error('this client is closed');
    const socket = this.#connected();
    const deadline = this.#timer.schedule(
      () => socket.destroy(new Error(`no answer to ${name} after ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      const id = ++this.#correlationId;
      for (const chunk of requestChunks(name, version, id, this.#clientId, request)) socket.write(chunk);
      return readAnswer(name, version, id, await this.#nextFrame(socket));
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      deadline.cancel();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.destroy();
  }

  #connected(): Socket {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket;
    this.#frames = new FrameSplitter(MAX_FRAME_BYTES);
    this.#socket = connect({ port: this.#port, host: HOST, noDelay: true });
    // 'close' follows, and rejects the request that waits. An idle connection that breaks is no
    // event.
    this.#socket.on('error', () => {});
    return this.#socket;
  }

  #nextFrame(socket: Socket): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const onData = (chunk: Buffer) => {
        this.#frames.push(chunk);
        const frame = this.#frames.next();
        if (frame === undefined) return;
        socket.off('data', onData).off('close', onClose);
        resolve(frame);
      };
      const onClose = () =>
        reject(socket.errored ?? new Error(`127.0.0.1:${this.#port} closed the connection`));
      socket.on('data', onData).on('close', onClose);
    });
  }
}

function requestChunks<N extends ApiName>(
  name: N,
  version: number,
  correlationId: number,
  clientId: string,
  request: RequestDraft<N>,
): Buffer[] {
  const api = apis[name];
  const flexible = version >= api.flexible;
  const writer = new Writer();
  writer.int16(api.key);
  writer.int16(version);
  writer.int32(correlationId);
  writer.string(clientId, false);
  if (flexible) writer.noTags();
  encode(writer, api.request, version, flexible, request as Draft<typeof api.request>);
  return writer.finish();
}

function readAnswer<N extends ApiName>(
  name: N,
  version: number,
  correlationId: number,
  frame: Buffer,
): ResponseMessage<N> {
  const api = apis[name];
  const flexible = version >= api.flexible;
  const reader = new Reader(frame, Infinity);
  const answered = reader.int32();
  if (answered !== correlationId) throw new Error(`an answer to request ${answered}, not ${correlationId}`);
  if (flexible && name !== 'ApiVersions') reader.skipTags();
  return decode(reader, api.response, version, flexible) as ResponseMessage<N>;
}
