/** Listens on one port and owns the connections that came in there, until they close. */
import { createServer, type Server } from 'node:net';
import { Connection, type ConnectionOptions } from './connection.ts';
import { listen } from './listen.ts';

/** How long clients have to take their last answers when the broker stops. */
const GRACE_MS = 500;

export class ProtocolServer {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #log: (line: string) => void;

  constructor(options: ConnectionOptions) {
    this.#log = options.log;
    this.#server = createServer((socket) => {
      const connection = new Connection(socket, options);
      this.#connections.add(connection);
      socket.on('close', () => this.#connections.delete(connection));
    });
  }

  get connections(): number {
    return this.#connections.size;
  }

  listen(port: number, host: string): Promise<number> {
    return listen(this.#server, port, host, this.#log);
  }

  /** Takes no more connections, lets the others send what they have for at most GRACE_MS, and ends them. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const connection of this.#connections) connection.close();
    const impatience = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
    }, GRACE_MS);
    await closed;
    clearTimeout(impatience);
  }
}
