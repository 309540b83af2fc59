/**
 * The broker's page, read-only. `GET /` shows the purgatories and the wheels at work, `GET /status`
 * returns the state as JSON, and `GET /metrics` the metrics in Prometheus' text format. It answers
 * under names that no outsider can have: loopback names and IP addresses, as the inspector does.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Registry } from 'prom-client';
import type { Inspector } from 'purgatory/inspector';
import { describeFault } from '../fault.ts';
import type { Log } from '../log-lines.ts';
import { listen } from './listen.ts';

/** Scrapers and people are few. */
const MAX_CONNECTIONS = 100;

export class StatusServer {
  readonly #server: Server;
  readonly #status: () => object;
  readonly #registry: Registry;
  readonly #inspector: Inspector;
  readonly #log: Log;

  constructor(status: () => object, registry: Registry, inspector: Inspector, log: Log) {
    this.#status = status;
    this.#registry = registry;
    this.#inspector = inspector;
    this.#log = log;
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('drop', (peer) => {
      log(
        `refused a connection of ${peer?.remoteAddress}:${peer?.remotePort}: --http takes ${MAX_CONNECTIONS}`,
        'limited',
      );
    });
  }

  listen(port: number, host: string): Promise<number> {
    return listen(this.#server, { host, port, option: '--http' }, this.#log);
  }

  async close(): Promise<void> {
    await this.#inspector.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.#inspector.handle(request, response)) return;
    const { method, url } = request;
    const path = url?.split('?', 1)[0];
    const found = path === '/status' || path === '/metrics';
    const isRefused = !isOwnName(request.headers.host);
    const code = !found ? 404 : isRefused ? 403 : method === 'GET' ? 200 : 405;
    if (code === 200 && path === '/metrics') {
      this.#registry.metrics().then(
        (text) => send(response, 200, this.#registry.contentType, text),
        (error) => {
          this.#log(`a fault in the metrics: ${describeFault(error)}`, 'limited');
          sendJson(response, 500, { error: 500 });
        },
      );
    } else {
      sendJson(response, code, code === 200 ? this.#status() : { error: code });
    }
  }
}

/** A page from outside can make its own name resolve to this machine, and would read what is here. */
function isOwnName(host = ''): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return /(^|\.)localhost$/.test(hostname) || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function sendJson(response: ServerResponse, code: number, body: object): void {
  send(response, code, 'application/json', `${JSON.stringify(body, undefined, 2)}\n`);
}

function send(response: ServerResponse, code: number, type: string, text: string): void {
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(text);
}
