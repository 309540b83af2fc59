// The answers of the inspector: its page, JSON, or a refusal.
//
// Ground rules. The browser may not guess another type for an answer. The browser stores no JSON,
// and asks again before it shows a stored page. No page of another origin may read an answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pageAsset } from './page-asset.ts';

/** A weight of 0 is a refusal (RFC 9110, 12.5.3). */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

export function sendPage(request: IncomingMessage, response: ServerResponse): void {
  const { plain, gzipped, policy } = pageAsset();
  const zips = TAKES_GZIP.test(String(request.headers['accept-encoding']));
  const body = zips ? gzipped : plain;
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    ...(zips && { 'content-encoding': 'gzip' }),
    vary: 'accept-encoding',
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

export function sendJson(request: IncomingMessage, response: ServerResponse, value: object | null): void {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : JSON.stringify(value));
}

/**
 * Sends the browser from `/a/b` to `/a/b/`, also where a proxy in front has put a prefix before it.
 */
export function redirectToFolder(response: ServerResponse, path: string, query: string | undefined): void {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const location = `./${name}/${query === undefined ? '' : `?${query}`}`;
  const policy = { 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' };
  response.writeHead(308, { location, ...policy }).end();
}

export function refuse(
  response: ServerResponse,
  status: number,
  why: string,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(`${why}.\n`);
}
