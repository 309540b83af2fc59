// What a client may ask, checked: everything past these functions can be trusted.
import type { IncomingMessage } from 'node:http';
import { Refused } from '../workers/json-server.ts';

export interface Poll {
  readonly rooms: readonly string[];
  /** The id of the last message that the client has seen. */
  readonly after: number;
  /** How many messages are worth an answer before the deadline. */
  readonly min: number;
  /** The deadline, in ms from now. */
  readonly waitMs: number;
}

export interface Post {
  readonly room: string;
  readonly author: string;
  readonly text: string;
}

const MAX_BODY_BYTES = 4096;
const MAX_ROOMS = 20;

export function parsePoll(query: URLSearchParams): Poll {
  const rooms = [...new Set(query.getAll('room'))];
  if (rooms.length === 0 || rooms.length > MAX_ROOMS) throw new Refused(400, `name 1 to ${MAX_ROOMS} rooms`);
  return {
    rooms,
    after: integer(query, 'after', 0, Number.MAX_SAFE_INTEGER),
    min: integer(query, 'min', 1, 100),
    waitMs: integer(query, 'wait', 25_000, 60_000),
  };
}

export async function readPost(request: IncomingMessage): Promise<Post> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Refused(413, `a message has ${MAX_BODY_BYTES} bytes at most`);
    chunks.push(chunk);
  }
  let body: Record<string, unknown>;
  try {
    body = Object(JSON.parse(Buffer.concat(chunks).toString()));
  } catch {
    throw new Refused(400, 'the body is no JSON');
  }
  return { room: text(body, 'room', 50), author: text(body, 'author', 50), text: text(body, 'text', 2000) };
}

function integer(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const given = query.get(name);
  if (given === null) return fallback;
  const value = Number(given);
  if (/^\d{1,16}$/.test(given) && value <= max) return value;
  throw new Refused(400, `${name} must be an integer from 0 to ${max}`);
}

function text(body: Record<string, unknown>, name: string, maxLength: number): string {
  const value = body[name];
  if (typeof value === 'string' && value.length > 0 && value.length <= maxLength) return value;
  throw new Refused(400, `${name} must be a text of 1 to ${maxLength} characters`);
}
