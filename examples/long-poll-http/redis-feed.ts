// The feed in a stream of Redis (7 or later), the last 10,000 messages of all rooms.
//
// Ground rules. Redis numbers the entries 0-1, 0-2, ... (XADD with the id 0-*), one after the
// other. So when an entry can be read, all entries below it can be read. A poll reads what came
// after its id and leaves the other rooms out.
import type { Redis } from 'ioredis';
import type { Feed, Message, News } from './feed.ts';
import type { Post } from './requests.ts';

const STREAM = 'purgatory:chat';
const KEEP = 10_000;

type Entry = [id: string, fields: string[]];

export class RedisFeed implements Feed {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async append(post: Post): Promise<Message> {
    const stored = { ...post, at: new Date().toISOString() };
    const id = await this.#redis.xadd(STREAM, 'MAXLEN', '~', KEEP, '0-*', 'json', JSON.stringify(stored));
    return { id: numberOf(id as string), ...stored };
  }

  async after(rooms: readonly string[], after: number): Promise<News> {
    const [newest] = await this.#redis.xrevrange(STREAM, '+', '-', 'COUNT', 1);
    const next = newest === undefined ? 0 : numberOf(newest[0]);
    const seen = after > next ? 0 : after;
    if (seen === next) return { messages: [], next };
    const entries = await this.#redis.xrange(STREAM, `0-${seen + 1}`, `0-${next}`);
    const messages = entries.map(messageOf).filter(({ room }) => rooms.includes(room));
    return { messages, next };
  }
}

function messageOf([id, [, json]]: Entry): Message {
  return { id: numberOf(id), ...JSON.parse(json) };
}

function numberOf(id: string): number {
  return Number(id.slice('0-'.length));
}
