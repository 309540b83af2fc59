// Long polling over plain HTTP. A poll says what it has seen (`after`), how much is worth an answer (`min`) and how long it waits
// (`wait`); until then it is parked, watching every room that it reads. A post wakes the polls of its room, and only those.
//
// Ground rules. A poll is answered once: with enough messages, or at its deadline with what there is. A client that goes away takes its
// poll with it. All that a client can make the server keep has a limit: parked polls, rooms, messages of a room, bytes of a post.
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Purgatory, PurgatoryError } from 'purgatory';
import { Feed } from './feed.ts';
import { BadRequest, parsePoll, readPost } from './requests.ts';

const GRACE_MS = 200;
const page = await readFile(new URL('page.html', import.meta.url));

export interface ChatOptions {
  readonly maxParked?: number;
  readonly maxRooms?: number;
  readonly keep?: number;
}

export class ChatServer {
  readonly polls: Purgatory<string>;
  readonly #feed: Feed;
  readonly #maxRooms: number;
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));

  constructor({ maxParked = 100_000, maxRooms = 1000, keep = 1000 }: ChatOptions = {}) {
    this.polls = new Purgatory('polls', { maxParked });
    this.#feed = new Feed(keep);
    this.#maxRooms = maxRooms;
  }

  /** Listens on the loopback interface; returns the port. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () =>
        resolve((this.#server.address() as { port: number }).port),
      );
    });
  }

  /** Answers the parked polls with 503, and ends once the answers are out, or after a grace period. */
  close(): Promise<void> {
    this.polls.close();
    return new Promise((resolve) => {
      // Connections that a client opened in advance and never used would hold the server for seconds.
      const grace = setTimeout(() => this.#server.closeAllConnections(), GRACE_MS);
      this.#server.close(() => {
        clearTimeout(grace);
        resolve();
      });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const send = (status: number, body: object): void => {
      // A client that keeps its connection would keep a server that is closing.
      if (!this.#server.listening) response.setHeader('connection', 'close');
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify(body));
    };
    try {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const route = `${request.method} ${url.pathname}`;
      if (route === 'GET /') sendPage(response);
      else if (route === 'GET /messages') send(200, await this.#poll(url.searchParams, gone.signal));
      else if (route === 'POST /messages') send(201, await this.#post(request));
      else throw new BadRequest(404, `no ${route} here`);
    } catch (error) {
      if (gone.signal.aborted) return;
      if (error instanceof BadRequest) send(error.status, { error: error.message });
      else if (error instanceof PurgatoryError) send(503, { error: error.message });
      else {
        console.error(error);
        send(500, { error: 'the server is at fault' });
      }
    }
  }

  async #poll(query: URLSearchParams, signal: AbortSignal): Promise<object> {
    const { rooms, after, min, waitMs } = parsePoll(query);
    const feed = this.#feed;
    // A client that is ahead of us knew us before a restart: it starts over.
    const seen = after > feed.lastId ? 0 : after;
    const since = performance.now();
    await this.polls.waitFor([...rooms], () => feed.countAfter(rooms, seen) >= min || undefined, {
      timeoutMs: waitMs,
      signal,
    });
    // Whether it has enough or has run out of time: it gets what there is.
    const messages = feed.after(rooms, seen);
    return { messages, next: feed.lastId, waitedMs: Math.round(performance.now() - since) };
  }

  async #post(request: IncomingMessage): Promise<object> {
    const { room, author, text } = await readPost(request);
    if (!this.#feed.has(room) && this.#feed.rooms >= this.#maxRooms)
      throw new BadRequest(429, 'too many rooms');
    const message = this.#feed.append(room, author, text);
    // Not checkAndComplete: posts that arrive in one go wake the room's polls once.
    this.polls.notify(room);
    return message;
  }
}

function sendPage(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'",
  });
  response.end(page);
}
