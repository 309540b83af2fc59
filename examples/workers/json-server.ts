// What the HTTP servers of the examples share: JSON answers, refusals, and an orderly end.
//
// Ground rules. It alone writes JSON answers. A route returns the answer, or undefined when it has
// answered by itself. What a route throws is answered: a Refused with its status, an error of a
// purgatory (full, closed) with 503, any other with 500. Nobody is answered whose connection has
// gone: the signal of the request has aborted by then.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PurgatoryError } from 'purgatory';
import { clientSignal } from 'purgatory/http';

/** A request that cannot be served, with the status of the answer. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A request, and what goes with it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

export type Answer = readonly [status: number, body: object];
export type Route = (exchange: Exchange) => Promise<Answer | undefined>;

export interface JsonServerOptions {
  /** Of every JSON answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long `close` waits for connections before it destroys them, in ms. */
  readonly graceMs: number;
}

export class JsonServer {
  readonly #route: Route;
  readonly #options: JsonServerOptions;
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));

  constructor(route: Route, options: JsonServerOptions) {
    this.#route = route;
    this.#options = options;
  }

  /** Listens on the loopback interface; returns the port. Rejects when the port is not to be had. */
  async listen(port: number): Promise<number> {
    await once(this.#server.listen(port, '127.0.0.1'), 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no more requests. Ends once the answers are out, or after the grace period. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      // Connections that a client opened in advance and never used would hold the server for
      // seconds.
      const grace = setTimeout(() => this.#server.closeAllConnections(), this.#options.graceMs);
      this.#server.close(() => {
        clearTimeout(grace);
        resolve();
      });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const signal = clientSignal(response);
    const send = (status: number, body: object): void => {
      // A client that keeps its connection would keep a server that is closing.
      if (!this.#server.listening) response.setHeader('connection', 'close');
      response.writeHead(status, { 'content-type': 'application/json', ...this.#options.headers });
      response.end(JSON.stringify(body));
    };
    try {
      const asked = request.url ?? '/';
      if (!URL.canParse(asked, 'http://localhost')) throw new Refused(400, 'bad URL');
      const url = new URL(asked, 'http://localhost');
      const answer = await this.#route({ request, response, url, signal });
      if (answer !== undefined) send(...answer);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused) send(error.status, { error: error.message });
      else if (error instanceof PurgatoryError) send(503, { error: error.message });
      else {
        console.error(error);
        send(500, { error: 'the server is at fault' });
      }
    }
  }
}
