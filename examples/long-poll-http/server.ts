// Long polling over plain HTTP. A poll says what it has seen (`after`), how much is worth an answer
// (`min`) and how long it waits (`wait`). Until then it is parked, watching every room that it
// reads. A post wakes the polls of its room, and only those.
//
// Ground rules. A poll is answered once: with enough messages, or at its deadline with what there
// is. When a client goes away, its poll is removed. All that a client can make the server keep has
// a limit: parked polls, rooms, messages of a room, bytes of a post. Messages are kept where every
// process can read them (feed.ts). A post is written first, then the polls are notified. A read
// that fails answers nobody: the poll waits on, and is tried again when the bus is live again,
// until its deadline.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Purgatory } from 'purgatory';
import type { Bus } from 'purgatory/bus';
import { type Answer, type Exchange, JsonServer, Refused } from '../workers/json-server.ts';
import type { Feed, Message, News } from './feed.ts';
import { type Post, parsePoll, readPost } from './requests.ts';

const GRACE_MS = 200;
const page = await readFile(new URL('page.html', import.meta.url));

export interface ChatOptions {
  readonly feed: Feed;
  /** Informs the other processes of posts. Without it, this process is alone. */
  readonly bus?: Bus | undefined;
  readonly maxParked?: number;
  /** The name of this process in its answers. */
  readonly worker?: string | undefined;
}

export class ChatServer {
  readonly polls: Purgatory<string>;
  readonly #feed: Feed;
  #isOut = false;
  readonly #server: JsonServer;

  constructor({ feed, bus, maxParked = 100_000, worker = `${process.pid}` }: ChatOptions) {
    this.polls = new Purgatory('polls', { maxParked, ...(bus === undefined ? {} : { bus }) });
    this.#feed = feed;
    this.#server = new JsonServer((exchange) => this.#answer(exchange), {
      headers: { 'cache-control': 'no-store', 'x-worker': worker },
      graceMs: GRACE_MS,
    });
  }

  /** Listens on the loopback interface; returns the port. */
  listen(port: number): Promise<number> {
    return this.#server.listen(port);
  }

  /**
   * Answers the parked polls with 503, and ends once the answers are out, or after a grace period.
   */
  close(): Promise<void> {
    this.polls.close();
    return this.#server.close();
  }

  async #answer({ request, response, url, signal }: Exchange): Promise<Answer | undefined> {
    const route = `${request.method} ${url.pathname}`;
    if (route === 'GET /') return sendPage(response);
    if (route === 'GET /messages') return [200, await this.#poll(url.searchParams, signal)];
    if (route === 'POST /messages') return [201, await this.#post(request)];
    throw new Refused(404, `no ${route} here`);
  }

  async #poll(query: URLSearchParams, signal: AbortSignal): Promise<object> {
    const { rooms, after, min, waitMs } = parsePoll(query);
    const since = performance.now();
    const read = async (context: { signal: AbortSignal }): Promise<News | undefined> => {
      const news = await this.#read(rooms, after, context.signal);
      return news !== undefined && news.messages.length >= min ? news : undefined;
    };
    const result = await this.polls.waitFor(rooms, read, { timeoutMs: waitMs, signal });
    // In both cases, enough or out of time, it gets what there is.
    const news = result.expired ? await this.#read(rooms, after, signal) : result.value;
    if (news === undefined) throw new Refused(503, 'the messages cannot be read now');
    return { ...news, waitedMs: Math.round(performance.now() - since) };
  }

  /** The news of the feed. Undefined while it cannot be read. */
  async #read(rooms: readonly string[], after: number, signal: AbortSignal): Promise<News | undefined> {
    try {
      const news = await this.#feed.after(rooms, after, { signal });
      this.#isOut = false;
      return news;
    } catch (error) {
      if (!signal.aborted) this.#feedFailed(error);
      return undefined;
    }
  }

  async #post(request: IncomingMessage): Promise<object> {
    const post = await readPost(request);
    const message = await this.#append(post);
    // Posts that arrive in one go wake the room's polls once, here and in the other processes.
    this.polls.notify(post.room);
    return message;
  }

  async #append(post: Post): Promise<Message> {
    try {
      return await this.#feed.append(post);
    } catch (error) {
      if (error instanceof Refused) throw error;
      this.#feedFailed(error);
      throw new Refused(503, 'messages cannot be taken now');
    }
  }

  /** Reported once, until the feed works again. */
  #feedFailed(error: unknown): void {
    if (!this.#isOut) console.error(`the messages are out of reach: ${error}`);
    this.#isOut = true;
  }
}

function sendPage(response: ServerResponse): undefined {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'",
  });
  response.end(page);
}
