// The feed in memory: the last `keep` messages of each room. Ground rules: a room exists from its
// first message on.

import { Refused } from '../workers/json-server.ts';
import type { Feed, Message, News } from './feed.ts';
import type { Post } from './requests.ts';

export class MemoryFeed implements Feed {
  readonly #rooms = new Map<string, Message[]>();
  readonly #maxRooms: number;
  readonly #keep: number;
  #lastId = 0;

  constructor({ maxRooms = 1000, keep = 1000 }: { maxRooms?: number; keep?: number } = {}) {
    this.#maxRooms = maxRooms;
    this.#keep = keep;
  }

  async append(post: Post): Promise<Message> {
    const { room } = post;
    let messages = this.#rooms.get(room);
    if (messages === undefined) {
      if (this.#rooms.size >= this.#maxRooms) throw new Refused(429, 'too many rooms');
      messages = [];
      this.#rooms.set(room, messages);
    }
    const message = { id: ++this.#lastId, ...post, at: new Date().toISOString() };
    if (messages.push(message) > this.#keep) messages.shift();
    return message;
  }

  /** O(rooms x log keep + messages). */
  async after(rooms: readonly string[], after: number): Promise<News> {
    const seen = after > this.#lastId ? 0 : after;
    const newer: Message[] = [];
    for (const room of rooms) {
      const messages = this.#rooms.get(room) ?? [];
      newer.push(...messages.slice(firstAfter(messages, seen)));
    }
    return { messages: newer.sort((x, y) => x.id - y.id), next: this.#lastId };
  }
}

/** The index of the first message after `id`. */
function firstAfter(messages: readonly Message[], id: number): number {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (messages[middle].id > id) high = middle;
    else low = middle + 1;
  }
  return low;
}
