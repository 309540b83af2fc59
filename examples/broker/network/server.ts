/** Listens on one port and owns the connections that came in there, until they close. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Connection, type ConnectionOptions } from './connection.ts';

/** How long clients have to take their last answers when the broker stops. */
const GRACE_MS = 500;

export class ProtocolServer {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();

  constructor(options: ConnectionOptions) {
    this.#server = createServer((socket) => {
      const connection = new Connection(socket, options);
      this.#connections.add(connection);
      socket.on('close', () => this.#connections.delete(connection));
    });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Resolves to the port, which is a free one where `port` is 0. Rejects when it cannot be had. */
  async listen(port: number, host: string): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
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
