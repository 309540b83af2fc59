// `purgatory/inspector`: a live picture of purgatories and timers in the browser, for people who operate them.
//
// Ground rules. Read-only: it answers GET and HEAD of two addresses, the page and its stream of frames, and changes nothing. By itself it
// listens on loopback only, and only answers requests that name it by a loopback name (so that no page from outside can read
// it by a name that resolves to 127.0.0.1). For any other reach, mount `handle` in a server that has its own rules. While nobody watches it
// costs nothing, and it never keeps the process alive.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  checkedNumber,
  checkedOptions,
  invalidArgType,
  invalidArgValue,
  type NumberRule,
} from '../errors.ts';
import { Feed } from './feed.ts';
import { pageAsset } from './page-asset.ts';
import { type ObservedPurgatory, type ObservedTimer, Recorder } from './recorder.ts';

export type { ObservedPurgatory, ObservedTimer } from './recorder.ts';

/** What an {@link Inspector} shows, and where. */
export interface InspectorOptions {
  /** The purgatories to show, by name. */
  purgatories?: readonly ObservedPurgatory[];
  /** The timers whose wheels to show: those that the purgatories share, for instance. */
  timers?: readonly ObservedTimer[];
  /** Where `handle` answers: it begins and ends with a slash. Default `/`. */
  path?: string;
}

/** Serves the picture. */
export interface Inspector {
  /**
   * Listens on 127.0.0.1, and resolves with the address of the page. Keeps no process alive.
   *
   * @param options `port`: an integer from 0 to 65,535; 0, the default, takes a free one.
   * @throws TypeError, RangeError (Node's codes) for a bad port. Rejects with the error of the socket (EADDRINUSE), and with
   *   ERR_SERVER_ALREADY_LISTEN when it listens.
   */
  listen(options?: { port?: number }): Promise<URL>;
  /**
   * Answers a request of a server of yours, if it is for the page (`path`) or its stream (`path` + `events`). False: it is not, and
   * nothing has been done. Who may ask is for that server to decide.
   */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /** Ends the streams, mounted ones too, and stops listening. It may listen again. */
  close(): Promise<void>;
}

const PORT: NumberRule = { min: 0, max: 65_535, integer: true };
const LOOPBACK = '127.0.0.1';
const LOOPBACK_NAME = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * Makes an inspector of `purgatories` and `timers`. It looks at them four times a second while somebody watches.
 *
 * @throws TypeError ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE for options that are none, before anything is listened on.
 */
export function createInspector(options: InspectorOptions): Inspector {
  const { purgatories = [], timers = [], path = '/' } = checkedOptions(options);
  checkAll('purgatories', purgatories, 'a Purgatory');
  checkAll('timers', timers, 'a SystemTimer');
  checkPath(path);
  return new Service(new Feed(new Recorder(purgatories, timers)), path);
}

class Service implements Inspector {
  readonly #feed: Feed;
  readonly #path: string;
  readonly #server: Server = createServer((request, response) => this.#answer(request, response));

  constructor(feed: Feed, path: string) {
    this.#feed = feed;
    this.#path = path;
    this.#server.on('connection', (socket) => socket.unref());
  }

  async listen(options?: { port?: number }): Promise<URL> {
    const port = checkedNumber('options.port', checkedOptions(options).port, 0, PORT);
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, LOOPBACK, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.unref();
    return new URL(this.#path, `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`);
  }

  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const asked = request.url?.split('?', 1)[0];
    if (asked !== this.#path && asked !== `${this.#path}events`) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, 405, 'The inspector is read-only', { allow: 'GET, HEAD' });
    } else if (asked === this.#path) {
      sendPage(request, response);
    } else if (request.method === 'HEAD') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
    } else {
      this.#feed.watch(response);
    }
    return true;
  }

  async close(): Promise<void> {
    this.#feed.close();
    const server = this.#server;
    if (!server.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (!LOOPBACK_NAME.test(request.headers.host ?? '')) {
      refuse(response, 403, 'The inspector answers to loopback names only');
    } else if (!this.handle(request, response)) {
      refuse(response, 404, 'The inspector has one page');
    }
  }
}

/** A weight of 0 is a refusal (RFC 9110, 12.5.3). */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

function sendPage(request: IncomingMessage, response: ServerResponse): void {
  const { plain, gzipped, policy } = pageAsset();
  const zips = TAKES_GZIP.test(String(request.headers['accept-encoding']));
  const body = zips ? gzipped : plain;
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    ...(zips && { 'content-encoding': 'gzip' }),
    vary: 'accept-encoding',
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function refuse(
  response: ServerResponse,
  status: number,
  why: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(`${why}.\n`);
}

function checkAll(name: string, all: readonly { snapshot(options: never): unknown }[], what: string): void {
  if (!Array.isArray(all)) throw invalidArgType(`options.${name}`, 'an instance of Array', all);
  for (const [index, each] of all.entries()) {
    if (typeof each?.snapshot !== 'function') throw invalidArgType(`options.${name}[${index}]`, what, each);
  }
}

function checkPath(path: unknown): void {
  if (typeof path !== 'string') throw invalidArgType('options.path', 'of type string', path);
  if (!/^\/([^?#]*\/)?$/.test(path)) {
    throw invalidArgValue('options.path', 'must begin and end with a slash', path);
  }
}
