/**
 * Listens on one port and owns the connections that came in there, until they close. Keeps within
 * its limits:
 *
 * - at most `maxConnections` are open, one more is closed at once;
 * - a connection that neither brings a whole request nor takes an answer for `maxIdleMs`, and is
 *   owed none, is closed, so that a frame that trickles in has that long to become whole;
 * - all requests that are in memory, whole or not, have at most `maxRequestBytes`: the connection
 *   that holds most of them goes;
 * - answers that no client has taken yet have at most `maxAnswerBytes`. Over it, nothing is read of
 *   connections that have some, and those that have taken none for PATIENCE_MS go, the one with most
 *   of them first, until there is room. The others have as much again, and then nothing is read.
 *
 * Each is one line in the log. O(1) for a request; finding the one that holds most is
 * O(connections).
 */
import { createServer, type Server } from 'node:net';
import type { Timer, TimerTask } from 'purgatory';
import { IdleTimeouts } from 'purgatory/idle';
import { ByteBudget } from '../storage/byte-budget.ts';
import { Connection, type ConnectionKeeper, type ConnectionOptions } from './connection.ts';
import { listen } from './listen.ts';

/** How long clients have to take their last answers when the broker stops. */
const GRACE_MS = 500;
/** Less than the nodes of a cluster have with each other. */
const PATIENCE_MS = 500;

export interface ServerOptions extends ConnectionOptions {
  readonly maxConnections: number;
  readonly maxIdleMs: number;
  readonly maxRequestBytes: number;
  readonly maxAnswerBytes: number;
  readonly timer: Timer;
}

export class ProtocolServer implements ConnectionKeeper {
  readonly #options: ServerOptions;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #idle: IdleTimeouts<Connection>;
  readonly #answers: ByteBudget;
  /** Those that read on when answers have room. */
  readonly #waiting = new Set<Connection>();
  #isReadOnDue = false;
  #impatience: TimerTask | undefined;
  #heldBytes = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { maxConnections, maxIdleMs, timer, log } = options;
    this.#answers = new ByteBudget(options.maxAnswerBytes);
    this.#idle = new IdleTimeouts('connections', {
      timeoutMs: maxIdleMs,
      timer,
      onIdle: (one) => this.#onIdle(one),
    });
    this.#server = createServer((socket) => {
      const connection = new Connection(socket, options, this);
      this.#connections.add(connection);
      this.#idle.touch(connection);
      socket.on('close', () => {
        this.#connections.delete(connection);
        this.#waiting.delete(connection);
        this.#idle.remove(connection);
      });
    });
    this.#server.maxConnections = maxConnections;
    this.#server.on('drop', (peer) => {
      log(
        `refused a connection of ${peer?.remoteAddress}:${peer?.remotePort}: --max-connections is ${maxConnections}`,
        'limited',
      );
    });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** What clients have not taken of their answers. */
  get unsentBytes(): number {
    return this.#answers.bytes;
  }

  listen(port: number, host: string): Promise<number> {
    return listen(this.#server, { host, port, option: '--port' }, this.#options.log);
  }

  /**
   * Takes no more connections, lets the others send what they have for at most GRACE_MS, and ends
   * them.
   */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const connection of this.#connections) connection.close();
    const impatience = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
    }, GRACE_MS);
    await closed;
    clearTimeout(impatience);
    this.#idle.close();
  }

  onProgress(connection: Connection): void {
    this.#idle.touch(connection);
  }

  onHeld(bytes: number): void {
    this.#heldBytes += bytes;
    const { maxRequestBytes } = this.#options;
    if (bytes <= 0 || this.#heldBytes <= maxRequestBytes) return;
    let largest: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.heldBytes > (largest?.heldBytes ?? 0)) largest = connection;
    }
    largest?.fail(
      `its requests hold ${largest.heldBytes} of ${this.#heldBytes} bytes, where --max-request-bytes is ${maxRequestBytes}`,
    );
  }

  roomForAnswers(areTaken: boolean): number {
    const { bytesLeft, maxBytes } = this.#answers;
    return areTaken ? bytesLeft + maxBytes : bytesLeft;
  }

  onUnsent(bytes: number): void {
    const wasFull = this.#answers.bytesLeft < 0;
    this.#answers.add(bytes);
    const isFull = this.#answers.bytesLeft < 0;
    if (isFull && !wasFull) this.#makeRoom();
    else if (wasFull && !isFull) this.#impatience?.cancel();
    if (bytes >= 0 || this.#waiting.size === 0 || this.#isReadOnDue) return;
    this.#isReadOnDue = true;
    queueMicrotask(() => this.#readOn());
  }

  waitForRoom(connection: Connection): void {
    if (!connection.isClosed) this.#waiting.add(connection);
  }

  #readOn(): void {
    this.#isReadOnDue = false;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    // Each that finds no room any more waits again.
    for (const connection of waiting) connection.readOn();
  }

  /** Answers have no room: ends those connections that keep it from others. */
  #makeRoom(): void {
    const sinceMs = performance.now() - PATIENCE_MS;
    const stuck = [...this.#connections]
      .filter(({ stuckSinceMs }) => stuckSinceMs <= sinceMs)
      .sort((a, b) => b.unsentBytes - a.unsentBytes);
    for (const connection of stuck) {
      if (this.#answers.bytesLeft >= 0) return;
      connection.fail(
        `it has not taken ${connection.unsentBytes} bytes of answers, where --max-answer-bytes is ${this.#answers.maxBytes}`,
      );
    }
    if (this.#answers.bytesLeft < 0)
      this.#impatience = this.#options.timer.schedule(() => this.#makeRoom(), PATIENCE_MS);
  }

  #onIdle(connection: Connection): void {
    if (connection.isClosed) connection.destroy();
    else if (connection.isOwedAnAnswer || this.#waiting.has(connection)) this.#idle.touch(connection);
    else connection.fail(`idle for ${this.#options.maxIdleMs} ms, which is --connections-max-idle-ms`);
  }
}
