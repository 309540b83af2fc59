// The answers of the inspector: its page, JSON, or a refusal.
//
// Ground rules. The browser stores no JSON, and asks again before it shows a stored page.
//
// The page is one HTML text, with its style and script inside, which the build has made a module of
// (page/build.ts). It is unpacked once, at the first request. The policy lets the browser run only the
// script and use only the style that are in the text. It knows both by their hash. The page may connect
// to its own origin only, and may show images from `data:` URLs only. So a watch key that looks like a
// script stays text.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { GZIPPED_PAGE } from './built-page.ts';

/** No page of another origin may read an answer, and no browser may guess another type for it. */
export const GUARDED = {
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

interface PageAsset {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** Value of the Content-Security-Policy header. */
  readonly policy: string;
}

let asset: PageAsset | undefined;

function pageAsset(): PageAsset {
  if (asset === undefined) {
    const gzipped = Buffer.from(GZIPPED_PAGE, 'base64');
    const plain = gunzipSync(gzipped);
    asset = { plain, gzipped, policy: policyOf(plain.toString()) };
  }
  return asset;
}

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
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      ...GUARDED,
      ...headers,
    })
    .end(`${why}.\n`);
}

function policyOf(html: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

function hashOf(html: string, tag: 'script' | 'style'): string {
  const content = new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 's').exec(html)?.[1] ?? '';
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}
