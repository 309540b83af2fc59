/** The broker's window for people: `GET /status` (and `/`) answers with what is going on, as JSON. Read-only. */
import { createServer, type Server } from 'node:http';
import { listen } from './listen.ts';

export class StatusServer {
  readonly #server: Server;
  readonly #log: (line: string) => void;

  constructor(status: () => object, log: (line: string) => void) {
    this.#log = log;
    this.#server = createServer((request, response) => {
      const path = request.url?.split('?', 1)[0];
      const found = path === '/' || path === '/status';
      const code = !found ? 404 : request.method === 'GET' ? 200 : 405;
      response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(`${JSON.stringify(code === 200 ? status() : { error: code }, undefined, 2)}\n`);
    });
  }

  listen(port: number, host: string): Promise<number> {
    return listen(this.#server, port, host, this.#log);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
