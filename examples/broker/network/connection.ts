/**
 * One client's connection: frames in, answers out in the order of their requests.
 *
 * Owns the exchanges that are not sent yet. Requests are handled as they come, also behind one that
 * waits, but there are at most MAX_IN_FLIGHT of them. When a client sends more, the fetch at the
 * head of the line is answered early, with what there is. While the client does not take its
 * answers, nothing more is read from it. So memory is bounded by the answers of MAX_IN_FLIGHT
 * requests. Reading goes on while requests wait, so a client that has gone away is noticed. Closing
 * cancels everything that waits for the client. TCP's keep-alive notices a client whose network has
 * gone away.
 */

import type { Socket } from 'node:net';
import { debuglog } from 'node:util';
import { describeFault } from '../fault.ts';
import type { LineKind, Log } from '../log-lines.ts';
import { Refusal } from '../refusal.ts';
import type { Exchange, ExchangeOwner } from './exchange.ts';
import { FrameSplitter, SIZE_BYTES } from './frames.ts';
import { readRequest } from './request-frame.ts';

/** As many unanswered requests as a pipelining producer has use for. */
const MAX_IN_FLIGHT = 100;
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
}

export class Connection implements ExchangeOwner {
  readonly peer: string;
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #keeper: ConnectionKeeper;
  readonly #frames: FrameSplitter;
  readonly #inFlight: Exchange[] = [];
  #heldBytes = 0;
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
    socket.on('close', () => this.#abandonAll());
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

  get unsentBytes(): number {
    return this.#inFlight.reduce((sum, { answerBytes }) => sum + answerBytes, this.#socket.writableLength);
  }

  /** Whether the client waits for the broker, and not the other way round. */
  get isOwedAnAnswer(): boolean {
    return this.#inFlight.length > 0 && !this.#socket.writableNeedDrain;
  }

  /**
   * Answers go out at the end of the turn. So a call that completes many operations is not
   * interrupted by the effects of each.
   */
  onAnswer(): void {
    if (this.#isPumping || this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      if (!this.#isClosed) this.#pump();
    });
  }

  fail(reason: string, kind: LineKind): void {
    if (this.#isClosed) return;
    this.#options.log(`closed the connection of ${this.peer}: ${reason}`, kind);
    this.#abandonAll();
    this.#socket.destroy();
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
      if (error instanceof Refusal) this.fail(error.message, 'refused request');
      else this.fail(`a fault of the broker: ${describeFault(error)}`, 'fault');
    } finally {
      this.#isPumping = false;
    }
    if (this.#hasRoom()) this.#socket.resume();
    else this.#socket.pause();
  }

  #sendAnswers(): void {
    this.#socket.cork();
    while (!this.#isClosed && this.#inFlight[0]?.answer !== undefined) {
      const { answer, requestBytes } = this.#inFlight.shift() as Exchange;
      for (const chunk of answer ?? []) this.#socket.write(chunk);
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
    if (this.#isClosed || this.#socket.writableNeedDrain) return false;
    return this.#inFlight.length < MAX_IN_FLIGHT || this.#inFlight[0].canHurry;
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#keeper.onHeld(bytes);
  }

  #abandonAll(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#hold(-this.#heldBytes);
    for (const exchange of this.#inFlight.splice(0)) exchange.abandon();
  }
}
