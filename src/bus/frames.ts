// The frames that the processes of a bus send each other: one line of JSON in ASCII each, such as
//   {"v":1,"o":"Zm9vYmFyYmF6","n":17,"h":{"orders":["42","43",["44",7]]},"all":["jobs"]}
// v: the version of the protocol. o: the origin, 12 random characters for each bus of each process.
// n: its number, from 1 on, so that a missing frame is noticed. p: in the first frame after a break
// or a silence, the last number with hints and its age in ms. A frame for a channel has no number,
// and one of `notifyInTransaction` no origin either. r: 1 where the origin listens to channels. bye:
// 1 in its last frame. h:
// hints by the name of their member: a key, or a key and its value, a bigint as "12n", Infinity as
// "Infinity". For a Purgatory the value is the limit of the event. all: names whose members are to
// try everything. An echo has no hints. One hint always fits (bus-member.ts). What is longer or
// larger than any bus sends is none of its frames.
import { PurgatoryError } from '../base/errors.ts';
import { keyText } from '../base/text.ts';
import { type HintValue, MAX_HINT_DIGITS, type Routing } from './membership/bus-member.ts';
import { MAX_FRAME_BYTES } from './transport.ts';

export const PROTOCOL_VERSION = 1;

/** A hint that was read from a frame, or goes into one. */
export interface Hint {
  readonly name: string;
  readonly key: string;
  readonly value: HintValue | undefined;
}

/** The last frame with hints that the engine took. */
export interface PreviousFrame {
  /** 0: there was none. */
  readonly number: number;
  /** For how long it has been published, in ms. */
  readonly ageMs: number;
}

/** A frame that was read. */
export interface Frame {
  /** Undefined for a frame that a transaction published. Such a frame has no number either. */
  readonly origin: string | undefined;
  /** 0 for a frame that was sent to a channel. */
  readonly number: number;
  /**
   * The frame before it that counts, where its origin was away: those in between had no hints, or
   * these are said again. Undefined: that of `number - 1`.
   */
  readonly previous: PreviousFrame | undefined;
  /** Whether its origin listens to channels. */
  readonly routes: boolean;
  /** Whether its origin has closed: no frame follows. */
  readonly isLast: boolean;
  readonly hints: readonly Hint[];
  /** Names whose members are to try everything. */
  readonly all: readonly string[];
}

/**
 * The most bytes that a frame needs besides its hints: the version, the origin, the number and the
 * brackets.
 */
const HEAD_BYTES = 112;

const MAX_ORIGIN = 64;

/**
 * The JSON of a text in ASCII. An engine may not take other characters: a PostgreSQL whose encoding
 * has no Cyrillic refuses the whole statement.
 */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(BEYOND_ASCII, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const BEYOND_ASCII = /[\u0080-\uffff]/g;

/** The body of the last frame of a bus. */
export const GOODBYE = ',"bye":1';

/** Which number a frame has among those of its origin. */
export type FrameNumber = Pick<Frame, 'number' | 'previous'>;

/**
 * @param body the text of a {@link FrameBody}. '' for an echo.
 * @param origin undefined for a frame of a transaction: it reaches every process, the publisher too.
 * @param numbered undefined for a frame for a channel.
 */
export function frameText(body: string, origin?: string, numbered?: FrameNumber, routing?: Routing): string {
  let text = `{"v":${PROTOCOL_VERSION}`;
  if (origin !== undefined) text += `,"o":"${origin}"`;
  if (numbered !== undefined) text += `,"n":${numbered.number}`;
  if (numbered?.previous !== undefined) {
    const { number, ageMs } = numbered.previous;
    text += `,"p":[${number},${Math.floor(ageMs)}]`;
  }
  if (routing === 'interest') text += ',"r":1';
  return `${text}${body}}`;
}

/** Gathers hints until a frame is full. */
export class FrameBody {
  readonly #maxBytes: number;
  readonly #names = new Map<string, string[]>();
  readonly #all: string[] = [];
  #bytes = HEAD_BYTES;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a hint. Returns false when the frame has no room for it. */
  add(name: string, key: string, value: HintValue | undefined): boolean {
    const text = value === undefined ? asciiJson(key) : `[${asciiJson(key)},${valueJson(value)}]`;
    const keys = this.#names.get(name);
    const bytes = text.length + 1 + (keys === undefined ? nameBytes(name) : 0);
    if (this.#bytes + bytes > this.#maxBytes) return false;
    this.#bytes += bytes;
    if (keys === undefined) this.#names.set(name, [text]);
    else keys.push(text);
    return true;
  }

  /** Adds "try everything" for a name. Returns false when the frame has no room for it. */
  addAll(name: string): boolean {
    const bytes = nameBytes(name);
    if (this.#bytes + bytes > this.#maxBytes) return false;
    this.#bytes += bytes;
    this.#all.push(name);
    return true;
  }

  text(): string {
    let text = '';
    if (this.#names.size > 0) {
      const names = Array.from(this.#names, ([name, keys]) => `${asciiJson(name)}:[${keys.join()}]`);
      text += `,"h":{${names.join()}}`;
    }
    if (this.#all.length > 0) text += `,"all":[${this.#all.map(asciiJson).join()}]`;
    return text;
  }
}

/**
 * @throws PurgatoryError ERR_PURGATORY_BUS_PROTOCOL for a text of another version, or one that is
 * no frame.
 */
export function readFrame(text: string): Frame {
  if (typeof text !== 'string' || text.length > MAX_FRAME_BYTES) throw foreignText(text);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw foreignText(text);
  }
  const { v, o, n, p, r, bye, h = {}, all = [] } = Object(json) as Record<string, unknown>;
  if (v !== PROTOCOL_VERSION) {
    if (!Number.isInteger(v)) throw foreignText(text);
    const versions = `version ${v} of its protocol, this one version ${PROTOCOL_VERSION}`;
    throw new PurgatoryError(
      'ERR_PURGATORY_BUS_PROTOCOL',
      `A process on this bus speaks ${versions}: they do not hear each other. ` +
        'Give processes of different versions different prefixes',
    );
  }
  const hasOrigin = typeof o === 'string' && o.length <= MAX_ORIGIN;
  const isNumbered = hasOrigin && Number.isSafeInteger(n) && (p === undefined || isPrevious(p));
  const isRouted = hasOrigin && n === undefined;
  if (!isNumbered && !isRouted && (o !== undefined || n !== undefined)) throw foreignText(text);
  if (typeof h !== 'object' || h === null || !isStrings(all)) throw foreignText(text);
  const hints: Hint[] = [];
  for (const [name, keys] of Object.entries(h)) {
    if (!Array.isArray(keys)) throw foreignText(text);
    for (const key of keys) {
      if (typeof key === 'string') hints.push({ name, key, value: undefined });
      else if (Array.isArray(key) && typeof key[0] === 'string' && key.length === 2) {
        const value = readValue(key[1]);
        if (value === undefined) throw foreignText(text);
        hints.push({ name, key: key[0], value });
      } else throw foreignText(text);
    }
  }
  const origin = o as string | undefined;
  const number = isNumbered ? (n as number) : 0;
  const [before, ageMs] = (p ?? []) as number[];
  const previous = p === undefined ? undefined : { number: before, ageMs };
  return { origin, number, previous, routes: r === 1, isLast: bye === 1, hints, all: [...new Set(all)] };
}

function nameBytes(name: string): number {
  return asciiJson(name).length + 4;
}

function valueJson(value: HintValue): string {
  if (typeof value === 'bigint') return `"${value}n"`;
  return Number.isFinite(value) ? `${value}` : `"${value}"`;
}

const BIGINT = new RegExp(`^-?\\d{1,${MAX_HINT_DIGITS}}n$`);

function readValue(json: unknown): HintValue | undefined {
  if (typeof json === 'number') return json;
  if (json === 'Infinity') return Number.POSITIVE_INFINITY;
  if (json === '-Infinity') return Number.NEGATIVE_INFINITY;
  return typeof json === 'string' && BIGINT.test(json) ? BigInt(json.slice(0, -1)) : undefined;
}

function isPrevious(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** For what is not of the protocol: a text, or whatever a program posts to a channel of threads. */
function foreignText(text: unknown): PurgatoryError {
  const what = JSON.stringify(keyText(text));
  return new PurgatoryError(
    'ERR_PURGATORY_BUS_PROTOCOL',
    `Something else publishes on this bus: ${what}. Choose another prefix`,
  );
}
