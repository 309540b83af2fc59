/// <reference types="node" preserve="true" />
// The answers of the inspector: its page, JSON, or a refusal.
//
// Ground rules. The browser stores no JSON, and asks again before it shows a stored page.
//
// The page is one HTML text, with its style and script inside, which the build has made a module
// of, with its policy (page/build.ts).
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { GZIPPED_PAGE, PAGE_POLICY } from './built-page.ts';

/** No page of another origin may read an answer, and no browser may guess another type for it. */
export const GUARDED = {
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** A weight of 0 is a refusal (RFC 9110, 12.5.3). */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

export function sendPage(request: IncomingMessage, response: ServerResponse): void {
  const zips = TAKES_GZIP.test(String(request.headers['accept-encoding']));
  const gzipped = Buffer.from(GZIPPED_PAGE, 'base64');
  const body = zips ? gzipped : gunzipSync(gzipped);
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    ...(zips && { 'content-encoding': 'gzip' }),
    vary: 'accept-encoding',
    'cache-control': 'no-cache',
    'content-security-policy': PAGE_POLICY,
    'referrer-policy': 'no-referrer',
    ...GUARDED,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

export function sendJson(request: IncomingMessage, response: ServerResponse, value: object | null): void {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...GUARDED,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/**
 * Sends the browser from `/a/b` to `/a/b/`, also where a proxy in front has put a prefix before it.
 */
export function redirectToFolder(response: ServerResponse, path: string, query: string | undefined): void {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const location = `./${name}/${query === undefined ? '' : `?${query}`}`;
  response.writeHead(308, { location, 'cache-control': 'no-store', ...GUARDED }).end();
}

export function refuse(
  response: ServerResponse,
  status: number,
  why: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...GUARDED, ...headers });
  response.end(`${why}.\n`);
}
