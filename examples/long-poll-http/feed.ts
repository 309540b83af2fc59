// The messages of all rooms, in memory: the last `keep` of each room, numbered in one sequence, so that one number says how far a
// reader has got in any set of rooms. Ground rules: ids only grow; a room exists from its first message on.

export interface Message {
  readonly id: number;
  readonly room: string;
  readonly author: string;
  readonly text: string;
  readonly at: string;
}

export class Feed {
  readonly #rooms = new Map<string, Message[]>();
  readonly #keep: number;
  #lastId = 0;

  constructor(keep: number) {
    this.#keep = keep;
  }

  /** The id of the newest message; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  get rooms(): number {
    return this.#rooms.size;
  }

  has(room: string): boolean {
    return this.#rooms.has(room);
  }

  append(room: string, author: string, text: string): Message {
    const message = { id: ++this.#lastId, room, author, text, at: new Date().toISOString() };
    const messages = this.#rooms.get(room);
    if (messages === undefined) this.#rooms.set(room, [message]);
    else if (messages.push(message) > this.#keep) messages.shift();
    return message;
  }

  /** How many messages of `rooms` came after `id`. O(rooms x log keep). */
  countAfter(rooms: Iterable<string>, id: number): number {
    let count = 0;
    for (const room of rooms) {
      const messages = this.#rooms.get(room) ?? [];
      count += messages.length - firstAfter(messages, id);
    }
    return count;
  }

  /** The messages of `rooms` that came after `id`, the oldest first. */
  after(rooms: Iterable<string>, id: number): Message[] {
    const newer: Message[] = [];
    for (const room of rooms) {
      const messages = this.#rooms.get(room) ?? [];
      newer.push(...messages.slice(firstAfter(messages, id)));
    }
    return newer.sort((x, y) => x.id - y.id);
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
