// RESP2, Redis' protocol: what a client sends, and what it gets. Of RESP3 what differs here.
//
// Ground rules. A request is an array of bulk strings. Texts have a character for each byte
// ('latin1'), so that keys and items may be any bytes, and a key is a string of the Map. (A parser
// for clients, such as redis-parser, reads replies: it would take an error or a number for a
// request.)

export type Request = readonly string[];

/** A bulk string has at most so many bytes; a request at most so many arguments. */
const MAX_BYTES = 1 << 20;
const MAX_ARGUMENTS = 1 << 16;

export class RequestParser {
  #rest: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Those of the request that has come in part, and how many are missing. */
  #arguments: string[] = [];
  #missing = 0;

  /** The requests that `bytes` complete. Throws an Error for what is no request; then no more is read. */
  *read(bytes: Buffer): IterableIterator<Request> {
    this.#rest = this.#at < this.#rest.length ? Buffer.concat([this.#rest.subarray(this.#at), bytes]) : bytes;
    this.#at = 0;
    while (true) {
      if (this.#missing === 0) {
        const count = this.#header('*', MAX_ARGUMENTS);
        if (count === undefined) return;
        this.#missing = count;
      } else {
        const argument = this.#bulk();
        if (argument === undefined) return;
        this.#arguments.push(argument);
        this.#missing--;
      }
      if (this.#missing > 0 || this.#arguments.length === 0) continue;
      const request = this.#arguments;
      this.#arguments = [];
      yield request;
    }
  }

  /** Undefined, and nothing is read, while a part is missing. */
  #bulk(): string | undefined {
    const start = this.#at;
    const length = this.#header('$', MAX_BYTES);
    if (length === undefined) return undefined;
    const from = this.#at;
    if (this.#rest.length < from + length + 2) {
      this.#at = start;
      return undefined;
    }
    this.#at = from + length + 2;
    return this.#rest.toString('latin1', from, from + length);
  }

  #header(type: string, most: number): number | undefined {
    const end = this.#rest.indexOf('\r\n', this.#at);
    const line = this.#rest.toString('latin1', this.#at, end < 0 ? this.#at + 32 : end);
    if (line !== '' && line[0] !== type)
      throw new Error(`Protocol error: expected '${type}', got '${line[0]}'`);
    if (end < 0 && line.length < 32) return undefined;
    const count = /^.\d{1,9}$/.test(line) ? Number(line.slice(1)) : Number.POSITIVE_INFINITY;
    if (count > most) throw new Error(`Protocol error: invalid length after '${type}'`);
    this.#at = end + 2;
    return count;
  }
}

export const OK = '+OK\r\n';
/** What LPOP gets of no list. */
const NULL = '$-1\r\n';
/** What a pop gets that has waited in vain. */
export const NULL_ARRAY = '*-1\r\n';

/** `reply` as a client gets it that has asked for RESP3. (No reply has a null inside.) */
export function inResp3(reply: string): string {
  return reply === NULL || reply === NULL_ARRAY ? '_\r\n' : reply;
}

export function error(text: string): string {
  return `-${text.replace(/[\r\n]/g, ' ')}\r\n`;
}

export function integer(value: number): string {
  return `:${value}\r\n`;
}

export function bulk(text: string | undefined): string {
  return text === undefined ? NULL : `$${text.length}\r\n${text}\r\n`;
}

export function array(replies: readonly string[]): string {
  return `*${replies.length}\r\n${replies.join('')}`;
}
