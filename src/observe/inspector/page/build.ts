// Bundles the page into one module, src/observe/inspector/built-page.ts: its text, gzipped, as a
// string. Preact, our code and styles are inside. So the page fetches nothing, and a bundler
// that takes the inspector takes the page. `npm run build` runs it before tsc, and it prints the
// size. esbuild bundles, and terser makes the bundle smaller.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { minify } from 'terser';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const { outputFiles } = await build({
  entryPoints: [here('main.tsx')],
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  legalComments: 'none',
  charset: 'utf8',
  outdir: here('.'),
  tsconfig: here('tsconfig.json'),
});
const output = (extension: string): string => {
  const file = outputFiles.find(({ path }) => path.endsWith(extension));
  if (file === undefined) throw new Error(`the bundle has no ${extension}`);
  return file.text.trim();
};
const style = output('.css');
const { code = '' } = await minify(output('.js'), { module: true, ecma: 2020, format: { comments: false } });
// A script must not contain its own end tag.
const script = code.replaceAll('</script', '<\\/script');
// Replacements are functions, so that a `$&` in the code is not taken for a pattern.
const html = readFileSync(here('page.html'), 'utf8')
  .replace('<style></style>', () => `<style>${style}</style>`)
  .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`);

// The browser runs only this script and uses only this style. The page connects to its own origin
// only, and shows images from `data:` URLs only. So a watch key that looks like a script stays
// text.
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const gzipped = gzipSync(html, { level: 9 });
const constant = (name: string, text: string): string =>
  `export const ${name}: string = ${JSON.stringify(text)};\n`;
writeFileSync(
  here('../built-page.ts'),
  `// Written by page/build.ts.\n${constant('GZIPPED_PAGE', gzipped.toString('base64'))}${constant('PAGE_POLICY', policy)}`,
);
console.log(`inspector page: ${html.length} bytes, ${gzipped.length} gzipped`);
