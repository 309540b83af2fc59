// The page that the inspector sends: one HTML file, bundled by the build, with its style and script
// inside.
//
// Ground rules. It is read once, at the first request. The policy lets the browser run only the
// script and use only the style that are in the file. It knows both by their hash. The page may
// connect to its own origin only, and may show images from `data:` URLs only. So a watch key that
// looks like a script stays text. Both src/ and dist/ find the file here.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const file = new URL('../../dist/inspector/page.html', import.meta.url);

export interface PageAsset {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** Value of the Content-Security-Policy header. */
  readonly policy: string;
}

let asset: PageAsset | undefined;

/** @throws Error ENOENT when the package has not been built. */
export function pageAsset(): PageAsset {
  if (asset === undefined) {
    const plain = readFileSync(file);
    asset = { plain, gzipped: gzipSync(plain, { level: 9 }), policy: policyOf(plain.toString()) };
  }
  return asset;
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
