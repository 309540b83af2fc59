// A server that keeps connections with signs of life and closes the others. Any byte from a client
// is a sign of life. A connection that has been idle for `idleMs` is pinged, and closed if nothing
// arrives within `graceMs`. A timer alone cannot know whether the client is silent, or this process
// was too busy to read. The ping finds out.
//
// Ground rules. A socket is tracked from its accept to its close. A sign of life costs a touch,
// which is about as cheap as an addition of two numbers. Whatever the number of connections, there
// is one host timer.
import { createServer, type Server, type Socket } from 'node:net';
import type { Timer } from 'purgatory';
import { IdleTimeouts } from 'purgatory/idle';

export interface HeartbeatOptions {
  /** A connection without a sign of life for this many ms is pinged. */
  readonly idleMs: number;
  /** How many ms it then has to answer. */
  readonly graceMs: number;
  readonly timer?: Timer;
}

export const PING = '?';

export class HeartbeatServer {
  /** What happened so far. */
  readonly counts: { heartbeats: number; pings: number; reaped: number } = {
    heartbeats: 0,
    pings: 0,
    reaped: 0,
  };
  readonly #idle: IdleTimeouts<Socket>;
  readonly #idleMs: number;
  readonly #graceMs: number;
  readonly #pinged = new Set<Socket>();
  readonly #server: Server = createServer({ noDelay: true }, (socket) => this.#accept(socket));

  constructor({ idleMs, graceMs, timer }: HeartbeatOptions) {
    this.#idleMs = idleMs;
    this.#graceMs = graceMs;
    this.#idle = new IdleTimeouts({ timeoutMs: idleMs, timer, onIdle: (socket) => this.#onIdle(socket) });
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#idle.size;
  }

  /** Listens on the loopback interface; returns the port. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host: '127.0.0.1', backlog: 4096 }, () =>
        resolve((this.#server.address() as { port: number }).port),
      );
    });
  }

  close(): Promise<void> {
    for (const socket of this.#idle.close()) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    this.#idle.touch(socket);
    socket.on('data', () => this.#onSignOfLife(socket));
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => {
      this.#idle.remove(socket);
      this.#pinged.delete(socket);
    });
  }

  #onSignOfLife(socket: Socket): void {
    this.counts.heartbeats++;
    if (this.#pinged.delete(socket)) this.#idle.touch(socket, this.#idleMs);
    else this.#idle.touch(socket);
  }

  #onIdle(socket: Socket): void {
    if (this.#pinged.has(socket)) {
      this.counts.reaped++;
      socket.destroy();
      return;
    }
    this.counts.pings++;
    this.#pinged.add(socket);
    this.#idle.touch(socket, this.#graceMs);
    socket.write(PING);
  }
}
