/**
 * One client's connection: frames in, answers out in the order of their requests.
 *
 * Owns the exchanges that are not sent yet. Requests are handled as they come, also behind one that
 * waits, but there are at most MAX_IN_FLIGHT of them. When a client sends more, the fetch at the
 * head of the line is answered early, with what there is. While the client does not take its
 * answers, or those of all clients have no room, nothing more is read from it. Reading goes on while
 * requests wait, so a client that has gone away is noticed. Closing cancels everything that waits for
 * the client. TCP's keep-alive notices a client whose network has gone away.
 */

import type { Socket } from 'node:net';
import { debuglog } from 'node:util';
import { describeFault } from '../fault.ts';
import type { Log } from '../log-lines.ts';
import { Refusal } from '../refusal.ts';
import type { Exchange, ExchangeOwner } from './exchange.ts';
import { FrameSplitter, SIZE_BYTES } from './frames.ts';
import { readRequest } from './request-frame.ts';

/** As many unanswered requests as a pipelining producer has use for. */
const MAX_IN_FLIGHT = 100;
/**
 * The most that the answers of one connection carry until it takes them, whatever the client
 * allows: Kafka's fetch.max.bytes.
 */
const MAX_UNSENT_BYTES = 55 * 1024 * 1024;
/** Shown with NODE_DEBUG=broker. */
const debug = debuglog('broker');
/** After this time the system asks a silent peer whether it is still there. */
const KEEP_ALIVE_MS = 60_000;

export interface ConnectionOptions {
  readonly maxFrameBytes: number;
  /** Answers the exchange, now or later. What it throws ends the connection. */
  readonly handle: (exchange: Exchange) => void;
  readonly log: Log;
}

/** The observer of all connections. */
export interface ConnectionKeeper {
  /** A whole request came, or answers were taken. */
  onProgress(connection: Connection): void;
  /**
   * So many bytes of requests more, or less, are held in memory. May end connections, this one too.
   */
  onHeld(bytes: number): void;
  /**
   * What answers may still have in bytes, those of all connections together. Below 0 where they have
   * too much. One whose own are taken has more room.
   */
  roomForAnswers(areTaken: boolean): number;
  /** So many bytes of answers more, or less, wait to be taken. May end other connections. */
  onUnsent(bytes: number): void;
  /** The connection wants to read on: its `readOn` is called when answers have room again. */
  waitForRoom(connection: Connection): void;
}

export class Connection implements ExchangeOwner {
  readonly peer: string;
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #keeper: ConnectionKeeper;
  readonly #frames: FrameSplitter;
  readonly #inFlight: Exchange[] = [];
  #heldBytes = 0;
  #unsentBytes = 0;
  #stuckSinceMs = Infinity;
  #hasSentExcess = false;
  #isClosed = false;
  #isPumping = false;
  #isPumpDue = false;

  constructor(socket: Socket, options: ConnectionOptions, keeper: ConnectionKeeper) {
    this.#socket = socket;
    this.#options = options;
    this.#keeper = keeper;
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.#frames = new FrameSplitter(options.maxFrameBytes);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('data', (chunk: Buffer) => {
      if (this.#isClosed) return;
      this.#frames.push(chunk);
      this.#hold(chunk.length);
      this.#pump();
    });
    socket.on('drain', () => {
      keeper.onProgress(this);
      this.#pump();
    });
    socket.on('end', () => this.close());
    socket.on('close', () => this.destroy());
    // Clients leave by a reset. 'close' follows and does the rest.
    socket.on('error', () => {});
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * The bytes of its requests in memory: frames that are not whole, and requests that are not
   * answered yet.
   */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The bytes of its answers in memory, until the system has taken them. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  /**
   * Since when it has taken no answer, of performance.now(). Infinity while there is none to take.
   */
  get stuckSinceMs(): number {
    return this.#stuckSinceMs;
  }

  get roomForRecords(): number {
    const room = Math.min(MAX_UNSENT_BYTES - this.#unsentBytes, this.#keeper.roomForAnswers(false));
    // One that has taken all gets on, by a batch at least.
    return this.#unsentBytes === 0 && this.#hasRoomForAnswer() ? Math.max(0, room) : room;
  }

  /** Whether the client waits for the broker, and not the other way round. */
  get isOwedAnAnswer(): boolean {
    return this.#inFlight.length > 0 && !this.#socket.writableNeedDrain;
  }

  /**
   * Answers go out at the end of the turn. So a call that completes many operations is not
   * interrupted by the effects of each.
   */
  onAnswer(bytes: number): void {
    this.#oweAnswers(bytes);
    if (this.#isPumping || this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      if (!this.#isClosed) this.#pump();
    });
  }

  /** Ends it at once, with a line in the log. */
  fail(reason: string): void {
    if (this.#socket.destroyed) return;
    this.#options.log(`closed the connection of ${this.peer}: ${reason}`, 'limited');
    this.destroy();
  }

  /** Sends what is answered already, then closes. What waits is cancelled. */
  close(): void {
    this.#sendAnswers();
    this.#abandonAll();
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#abandonAll();
    this.#socket.destroy();
    this.#oweAnswers(-this.#unsentBytes);
  }

  /** Answers have room again. */
  readOn(): void {
    if (!this.#isClosed) this.#pump();
  }

  /**
   * Sends what is answered, handles what arrived, and reads on only when there is room for more.
   */
  #pump(): void {
    this.#isPumping = true;
    try {
      do this.#sendAnswers();
      while (this.#handleNext());
    } catch (error) {
      if (error instanceof Refusal) this.fail(error.message);
      else this.fail(`a fault of the broker: ${describeFault(error)}`);
    } finally {
      this.#isPumping = false;
    }
    if (this.#hasRoom()) this.#socket.resume();
    else this.#socket.pause();
    if (!this.#hasRoomForAnswer()) this.#keeper.waitForRoom(this);
  }

  #sendAnswers(): void {
    this.#socket.cork();
    while (!this.#isClosed && this.#inFlight[0]?.answer !== undefined) {
      const { answer = [], answerBytes, requestBytes } = this.#inFlight.shift() as Exchange;
      const onTaken = () => this.#onTaken(answerBytes);
      for (const [index, chunk] of answer.entries())
        this.#socket.write(chunk, index === answer.length - 1 ? onTaken : undefined);
      this.#hold(-requestBytes);
      this.#keeper.onProgress(this);
    }
    this.#socket.uncork();
  }

  #handleNext(): boolean {
    if (!this.#hasRoom()) return false;
    const frame = this.#frames.next();
    if (frame === undefined) return false;
    const exchange = readRequest(frame, this);
    this.#noteExcess(exchange);
    if (this.#inFlight.length >= MAX_IN_FLIGHT) this.#inFlight[0].hurry();
    this.#inFlight.push(exchange);
    this.#hold(exchange.requestBytes - SIZE_BYTES - frame.length);
    this.#keeper.onProgress(this);
    if (!this.#isClosed) this.#options.handle(exchange);
    return true;
  }

  /** One line for a connection: a client that sends too much sends it again and again. */
  #noteExcess({ api, version, clientId, excessBytes }: Exchange): void {
    if (excessBytes === 0 || this.#hasSentExcess) return;
    this.#hasSentExcess = true;
    debug(`ignored ${excessBytes} bytes behind ${api} ${version} of ${clientId} (${this.peer})`);
  }

  #hasRoom(): boolean {
    if (this.#isClosed || this.#socket.writableNeedDrain || !this.#hasRoomForAnswer()) return false;
    return this.#inFlight.length < MAX_IN_FLIGHT || this.#inFlight[0].canHurry;
  }

  #hasRoomForAnswer(): boolean {
    return this.#keeper.roomForAnswers(this.#unsentBytes === 0) >= 0;
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#keeper.onHeld(bytes);
  }

  #onTaken(bytes: number): void {
    if (!this.#socket.destroyed) this.#oweAnswers(-bytes);
  }

  #oweAnswers(bytes: number): void {
    if (bytes < 0 || this.#unsentBytes === 0) this.#stuckSinceMs = performance.now();
    this.#unsentBytes += bytes;
    if (this.#unsentBytes === 0) this.#stuckSinceMs = Infinity;
    this.#keeper.onUnsent(bytes);
  }

  #abandonAll(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#hold(-this.#heldBytes);
    for (const exchange of this.#inFlight.splice(0)) {
      exchange.abandon();
      this.#oweAnswers(-exchange.answerBytes);
    }
  }
}
