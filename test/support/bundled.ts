// Scripts that many short processes run.
//
// Ground rules. A script is bundled once for all processes that this one starts: each then starts in
// a quarter of the time that tsx takes to load the sources one by one. So nothing of it is covered.
// The bundles lie in a temporary folder, which is removed when this process ends. What a script looks
// up by `import.meta.url` is found all the same: it stays that of the source.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Packages of CommonJS that are bundled look for `require`. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;
const root = fileURLToPath(new URL('../../', import.meta.url));
/** Bun and Deno start as fast without a bundle, and Bun may not hear of esbuild's end. */
const readsTypeScript = process.versions.bun !== undefined || process.versions.deno !== undefined;

const ownUrls: Plugin = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};

const bundles = new Map<string, Promise<string>>();
let folder: string | undefined;

/** The path of a bundle of the script, whose path is given from the root of the repository. */
export function bundled(script: string, format: 'esm' | 'cjs' = 'esm'): Promise<string> {
  if (readsTypeScript) return Promise.resolve(join(root, script));
  const name = `${format} ${script}`;
  let bundle = bundles.get(name);
  if (bundle === undefined) {
    bundle = makeBundle(script, format);
    bundles.set(name, bundle);
  }
  return bundle;
}

async function makeBundle(script: string, format: 'esm' | 'cjs'): Promise<string> {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'purgatory-bundles-'));
    process.once('exit', () => rmSync(created, { recursive: true, force: true }));
    folder = created;
  }
  const outfile = join(
    folder,
    `${bundles.size}-${basename(script, '.ts')}.${format === 'esm' ? 'mjs' : 'cjs'}`,
  );
  await build({
    absWorkingDir: root,
    entryPoints: [script],
    outfile,
    bundle: true,
    format,
    platform: 'node',
    target: 'node20',
    keepNames: true, // as tsx does
    plugins: [ownUrls],
    banner: { js: format === 'esm' ? REQUIRE : '' },
  });
  return outfile;
}
