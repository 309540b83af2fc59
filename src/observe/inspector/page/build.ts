// Bundles the page into one module, src/observe/inspector/built-page.ts: its text, gzipped, as a
// string. Preact, uPlot, our code and styles are inside. So the page fetches nothing, and a bundler
// that takes the inspector takes the page. `npm run build` runs it before tsc, and it prints the size.
// esbuild bundles, and terser makes the bundle smaller.
//
// uPlot stays at 1.6.8: it can do all that the page shows, and later releases are much larger.
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
  target: ['chrome111', 'firefox113', 'safari16.4'],
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
const { code } = await minify(output('.js'), { module: true, ecma: 2020, format: { comments: false } });
if (code === undefined) throw new Error('terser gave nothing back');
// Replacements are functions, so that a `$&` in the code is not taken for a pattern. A script must
// not contain its own end tag.
const script = code.replaceAll('</script', '<\\/script');
const html = readFileSync(here('page.html'), 'utf8')
  .replace('<style></style>', () => `<style>${output('.css')}</style>`)
  .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`);

const gzipped = gzipSync(html, { level: 9 });
writeFileSync(
  here('../built-page.ts'),
  `// Written by page/build.ts.\nexport const GZIPPED_PAGE: string = '${gzipped.toString('base64')}';\n`,
);
console.log(`inspector page: ${html.length} bytes, ${gzipped.length} gzipped`);
