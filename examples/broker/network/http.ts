/** The broker's window for people: `GET /status` (and `/`) answers with what is going on, as JSON. Read-only. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class StatusServer {
  readonly #server: Server;

  constructor(status: () => object) {
    this.#server = createServer((request, response) => {
      const path = request.url?.split('?', 1)[0];
      const found = path === '/' || path === '/status';
      const code = !found ? 404 : request.method === 'GET' ? 200 : 405;
      response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(`${JSON.stringify(code === 200 ? status() : { error: code }, undefined, 2)}\n`);
    });
  }

  /** Resolves to the port, which is a free one where `port` is 0. Rejects when it cannot be had. */
  async listen(port: number, host: string): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
