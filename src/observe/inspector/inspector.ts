/// <reference types="node" preserve="true" />
// The inspector: a live picture of purgatories and timers in the browser, for people who operate
// them. Its options, its checks, and what it answers to which address.
//
// Ground rules. Read-only: it changes nothing. It answers GET and HEAD for the page, the stream of
// frames, the history, the search for keys, and one operation. By itself it listens on loopback
// only. It refuses requests under a host name that it does not know (host-names.ts), mounted or not.
// While nobody watches, only the history is recorded, once a second. It never keeps the process
// alive, and never ends it: what goes wrong in an answer is a 500 and goes to the owner.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import {
  checkedBoolean,
  checkedFunction,
  checkedNumber,
  checkedOptions,
  type NumberRule,
  requiredString,
} from '../../base/checks.ts';
import { ASYNC_DISPOSE, nameDispose } from '../../base/dispose.ts';
import { invalidArgValue } from '../../base/node-errors.ts';
import { type OptionNames, refuseUnread } from '../../base/options.ts';
import { reportError } from '../../base/report-error.ts';
import { cut } from '../../base/text.ts';
import { checkSources, LiveSources, refuseBareSources } from '../live-sources.ts';
import type { NamedSources, ObservedBus, ObservedPurgatory, ObservedTimer, Sources } from '../sources.ts';
import { EVENTS_HEADERS, Feed } from './feed.ts';
import { MAX_NAME_LENGTH } from './frame.ts';
import { type Host, host } from './host.ts';
import { checkedHosts, refusedHost } from './host-names.ts';
import { messageOf } from './last-errors.ts';
import { Lookup } from './lookup.ts';
import { Recorder } from './recorder.ts';
import { redirectToFolder, refuse, sendJson, sendPage } from './responses.ts';
import { SecondRecorder } from './second-recorder.ts';

/** What an {@link Inspector} shows, and where. */
export interface InspectorOptions {
  /**
   * The purgatories to show, by name, and their timers: an array, a Set, or a function that returns
   * one. It is read anew at each look. So new purgatories are shown, and closed ones are not.
   */
  purgatories?: Sources<ObservedPurgatory> | undefined;
  /** More timers whose wheels to show: as the purgatories, or an object of them by name. */
  timers?: NamedSources<ObservedTimer> | undefined;
  /**
   * More buses between processes to show: as the timers. Those that the purgatories are on are
   * shown with them.
   */
  buses?: NamedSources<ObservedBus> | undefined;
  /** Where `handle` answers: it begins and ends with a slash. Default `/`. */
  path?: string | undefined;
  /**
   * The host names, without ports, under which it answers besides loopback names and IP addresses:
   * those of the server in which it is mounted. Requests under other names get 403. `'any'`: the
   * inspector checks no host name, because that server itself checks the Host header, or the user.
   */
  hosts?: readonly string[] | 'any' | undefined;
  /**
   * Whether to keep the last ten minutes, second by second, also while nobody watches. Default
   * true.
   */
  history?: boolean | undefined;
  /**
   * Gets what a request threw, and what reading the sources for the history threw: nearly always an
   * error of the function that gives the sources, or of a `snapshot` of yours. The request gets
   * 500. Default: a warning of the process (`PURGATORY_INSPECTOR_FAILED`), once where it repeats.
   */
  onError?: ((error: unknown) => void) | undefined;
}

/** Serves the picture. */
export interface Inspector {
  /**
   * Listens on 127.0.0.1, and resolves with the address of the page. Keeps no process alive. The
   * port is this process's own: workers of node:cluster do not share it.
   *
   * @param options `port`: an integer from 0 to 65,535. The default, 0, takes a free one.
   * @throws Rejects with a TypeError, RangeError (Node's codes) for a bad port, or for an option
   * that there is not, such as a host. Rejects with the error of the socket (EADDRINUSE), and with
   * ERR_SERVER_ALREADY_LISTEN when it listens already.
   */
  listen(options?: { port?: number | undefined }): Promise<URL>;
  /**
   * Answers a request of a server of yours, if it is for the page (`path`) or for what the page
   * loads below it. Returns false if it is not: then nothing has been done. Under a host name that
   * is not known (see `hosts`) it answers 403. Your server decides who else may ask. It never
   * throws: what goes wrong is a 500, and goes to `onError`. It takes requests of `node:http`, and of
   * `node:http2` by its compatibility API.
   */
  handle(
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ): boolean;
  /**
   * Ends the streams, mounted ones too, and the history, and stops listening. It may listen again.
   */
  close(): Promise<void>;
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const INSPECTOR_OPTIONS: OptionNames<InspectorOptions> = {
  purgatories: true,
  timers: true,
  buses: true,
  path: true,
  hosts: true,
  history: true,
  onError: true,
};
const ON_LOOPBACK = ': by itself it listens on loopback only; to serve it elsewhere, mount it with handle()';
const PORT: NumberRule = { min: 0, max: 65_535, integer: true };
const LOOPBACK = '127.0.0.1';
/** The requests of the page, below `path`. */
const ADDRESSES = ['', 'events', 'history', 'keys', 'operation'] as const;

/**
 * Makes an inspector of `purgatories` and `timers`. From now on it reads them four times a second
 * while somebody watches. For its history, if it keeps one, it reads them once a second.
 *
 * @throws TypeError ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE for bad options, and for those that
 * there are not, before it listens.
 */
export function createInspector(options: InspectorOptions): Inspector {
  return inspectorOn(host, options);
}

/** As {@link createInspector}, on a host of the caller. @internal */
export function inspectorOn(host: Host, options: InspectorOptions): Inspector {
  refuseBareSources('options', options);
  const given = checkedOptions(options);
  refuseUnread('options', given, INSPECTOR_OPTIONS);
  const { purgatories = [], timers = [], buses = [], path = '/' } = given;
  checkSources('options.purgatories', purgatories, 'a Purgatory');
  checkSources('options.timers', timers, 'a SystemTimer', true);
  checkSources('options.buses', buses, 'a Bus', true);
  checkPath(path);
  const checked: Given = {
    path,
    hosts: checkedHosts(given.hosts),
    history: checkedBoolean('options.history', given.history, true),
    onError: checkedFunction('options.onError', given.onError),
  };
  const shown = new LiveSources({ purgatories, timers, buses }, (name) => cut(name, MAX_NAME_LENGTH));
  return new Service(host, shown, checked);
}

/** The options that are no sources, checked. */
interface Given {
  readonly path: string;
  readonly hosts: ReadonlySet<string> | 'any';
  readonly history: boolean;
  readonly onError: InspectorOptions['onError'];
}

class Service implements Inspector {
  readonly #seconds: SecondRecorder;
  readonly #lookup: Lookup;
  readonly #recorder: Recorder;
  readonly #feed: Feed;
  readonly #given: Given;
  #lastWarning = '';
  readonly #server: Server = createServer((request, response) => {
    if (!this.handle(request, response)) refuse(response, 404, 'The inspector has one page');
  });

  constructor(host: Host, shown: LiveSources, given: Given) {
    const report = (error: unknown): void => this.#report(error);
    this.#given = given;
    this.#seconds = new SecondRecorder(host, shown, report);
    this.#lookup = new Lookup(host, shown);
    this.#recorder = new Recorder(host, shown, this.#seconds, this.#lookup);
    this.#feed = new Feed(host, this.#recorder, report);
    if (given.history) this.#seconds.start(this);
    this.#server.on('connection', (socket) => socket.unref());
    // Of a server that listens: it cannot accept a connection (EMFILE).
    this.#server.on('error', (error) => this.#server.listening && report(error));
  }

  async listen(options?: { port?: number | undefined }): Promise<URL> {
    const given = checkedOptions(options);
    refuseUnread<{ port?: unknown }>('options', given, { port: true }, ON_LOOPBACK);
    const port = checkedNumber('options.port', given.port, 0, PORT);
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.unref();
    if (this.#given.history) this.#seconds.start(this);
    return new URL(this.#given.path, `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`);
  }

  // HTTP/2 has all that is called here by the same names, but what `nameIn` and Feed ask of it.
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { path } = this.#given;
    const [asked, query] = request.url?.split('?', 2) ?? [];
    // Without its last slash too: `/inspector` of `/inspector/`.
    const address = ADDRESSES.find((each) => asked === path + each || `${asked}/` === path);
    if (address === undefined) return false;
    this.#answer(address, query, request, response).catch((error) => {
      this.#report(error);
      if (!response.headersSent) refuse(response, 500, 'The inspector could not read what it shows');
    });
    return true;
  }

  async #answer(
    address: (typeof ADDRESSES)[number],
    query: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const params = new URLSearchParams(query);
    const refused = refusedHost(nameIn(request), this.#given.hosts);
    if (refused !== undefined) {
      refuse(
        response,
        403,
        `The inspector does not answer to the name ${JSON.stringify(refused)}. ` +
          'If it is one of your names, add it to the option hosts of createInspector: { hosts: [...] }',
      );
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, 405, 'The inspector is read-only', { allow: 'GET, HEAD' });
    } else if (address === '' && !pathOf(request).endsWith('/')) {
      // The page asks for what is beside it, so its own address has to end with a slash.
      redirectToFolder(response, pathOf(request), query);
    } else if (address === '') {
      sendPage(request, response);
    } else if (address === 'history') {
      sendJson(request, response, this.#recorder.history());
    } else if (address === 'keys') {
      const purgatory = params.get('purgatory') ?? undefined;
      const found = await this.#lookup.find(params.get('text') ?? '', purgatory, params.has('search'));
      sendJson(request, response, found);
    } else if (address === 'operation') {
      sendJson(request, response, this.#lookup.operation(Number(params.get('id'))));
    } else if (request.method === 'HEAD') {
      response.writeHead(200, EVENTS_HEADERS).end();
    } else {
      this.#feed.watch(response);
    }
  }

  #report(error: unknown): void {
    const { onError } = this.#given;
    if (onError !== undefined) {
      reportError(error, undefined, onError);
      return;
    }
    const warning = `The inspector could not read what it shows: ${messageOf(error)}`;
    if (warning === this.#lastWarning) return;
    this.#lastWarning = warning;
    process.emitWarning(warning, { type: 'PurgatoryWarning', code: 'PURGATORY_INSPECTOR_FAILED' });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  static {
    nameDispose(Service, ASYNC_DISPOSE);
  }

  async close(): Promise<void> {
    this.#seconds.stop(this);
    this.#feed.close();
    const server = this.#server;
    if (!server.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}

/** The name that the browser asked for. HTTP/2 has it in a header of its own. */
function nameIn({ headers }: IncomingMessage): string | undefined {
  const name = headers[':authority'] ?? headers.host;
  return typeof name === 'string' ? name : undefined;
}

/** The path that the browser asked for: Express takes the path of a mount off `url`. */
function pathOf(request: IncomingMessage & { originalUrl?: unknown }): string {
  const { originalUrl, url } = request;
  return (typeof originalUrl === 'string' ? originalUrl : String(url)).split('?', 1)[0];
}

function checkPath(path: unknown): void {
  if (!/^\/([^?#]*\/)?$/.test(requiredString('options.path', path))) {
    throw invalidArgValue('options.path', 'must begin and end with a slash', path);
  }
}
