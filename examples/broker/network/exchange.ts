/**
 * One request and the place of its answer among the answers of its connection.
 *
 * A handler answers exactly once, now or later, with `respond`, or with `respondNothing` where the
 * protocol has no answer (acks=0). An operation that waits on behalf of the request enters its
 * WaitingRoom here, so that a connection that closes takes it along.
 */
import { encode } from '../protocol/codec.ts';
import { type ApiName, apis } from '../protocol/messages/index.ts';
import type { Draft, Message } from '../protocol/schema.ts';
import { Writer } from '../protocol/writer.ts';
import type { AnyPurgatory, WaitingOperation, WaitingRoom, WatchedIn } from '../waiting/waiting-room.ts';

export type Request<N extends ApiName> = Message<(typeof apis)[N]['request']>;
export type Response<N extends ApiName> = Draft<(typeof apis)[N]['response']>;

/** What the connection offers to its exchanges. */
export interface ExchangeOwner {
  readonly peer: string;
  readonly isClosed: boolean;
  /** So many bytes of records may the next answer have. Below 0: none at all. */
  readonly roomForRecords: number;
  /** The answer of an exchange is there, of so many bytes. */
  onAnswer(bytes: number): void;
  /** Ends the connection, with one log line of that kind. */
  fail(reason: string): void;
}

export class Exchange<N extends ApiName = ApiName> {
  readonly api: N;
  readonly version: number;
  readonly clientId: string;
  readonly request: Request<N>;
  /**
   * What the request takes in memory until it is answered, about: its frame, and the objects that
   * it was read into.
   */
  readonly requestBytes: number;
  /** Bytes behind the request in its frame, which were ignored. */
  readonly excessBytes: number;
  readonly owner: ExchangeOwner;
  readonly #correlationId: number;
  #operation: WaitingOperation | undefined;
  #answer: Buffer[] | undefined;
  #answerBytes = 0;

  constructor(
    owner: ExchangeOwner,
    api: N,
    version: number,
    correlationId: number,
    clientId: string,
    request: Request<N>,
    requestBytes: number,
    excessBytes = 0,
  ) {
    this.owner = owner;
    this.api = api;
    this.version = version;
    this.#correlationId = correlationId;
    this.clientId = clientId;
    this.request = request;
    this.requestBytes = requestBytes;
    this.excessBytes = excessBytes;
  }

  get answerBytes(): number {
    return this.#answerBytes;
  }

  /** The frame to send, as chunks, once there is an answer. */
  get answer(): readonly Buffer[] | undefined {
    return this.#answer;
  }

  respond(response: Response<N>): void {
    this.#respondAs(this.version, response);
  }

  /** ApiVersions alone: an answer that a client of any version reads. */
  respondAsVersion0(response: Response<N>): void {
    this.#respondAs(0, response);
  }

  respondNothing(): void {
    this.#settle([]);
  }

  /**
   * Lets `operation` wait for this request: it answers at once, later, or is cancelled when the
   * connection closes.
   */
  waitIn<P extends AnyPurgatory>(
    room: WaitingRoom<P>,
    operation: WaitingOperation,
    watched: WatchedIn<P>,
  ): void {
    room.enter(operation, watched);
    if (!operation.isCompleted) this.#operation = operation;
  }

  /**
   * A fetch that waits may be answered at any time; acks and joins wait for what only others can
   * bring.
   */
  get canHurry(): boolean {
    return this.api === 'Fetch' && this.#operation !== undefined;
  }

  /** Has a waiting fetch answered now, with what there is. */
  hurry(): void {
    if (this.canHurry) this.#operation?.forceComplete();
  }

  /** Nobody is left to answer: whatever waits for this request leaves, unanswered. */
  abandon(): void {
    this.#operation?.cancel();
    this.#operation = undefined;
  }

  #respondAs(version: number, response: Response<N>): void {
    if (this.owner.isClosed) return;
    const api = apis[this.api];
    const flexible = version >= api.flexible;
    const writer = new Writer();
    writer.int32(this.#correlationId);
    // Clients read this header before they know which versions the broker has: it never changes.
    if (flexible && this.api !== 'ApiVersions') writer.noTags();
    encode(writer, api.response, version, flexible, response as Draft<typeof api.response>);
    this.#settle(writer.finish());
  }

  #settle(answer: Buffer[]): void {
    if (this.#answer !== undefined) throw new Error(`${this.api} was answered twice`);
    this.#answer = answer;
    this.#answerBytes = answer.reduce((sum, chunk) => sum + chunk.length, 0);
    this.#operation = undefined;
    this.owner.onAnswer(this.#answerBytes);
  }
}
