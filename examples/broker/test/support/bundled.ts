// Programs that many short processes run.
//
// A program is bundled once for all processes that this one starts: each then starts in a quarter of
// the time that tsx takes to load the sources one by one. The bundles lie in a temporary folder,
// which is removed when this process ends. What a program looks up by `import.meta.url` is found all
// the same: it stays that of the source.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Packages of CommonJS that are bundled look for `require`. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

const { resolve } = createRequire(import.meta.url);

const places: Plugin = {
  name: 'places',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
    });
    // A bundle has no place for an addon.
    onResolve({ filter: /^@node-rs\// }, ({ path }) => ({ path: resolve(path), external: true }));
  },
};

const bundles = new Map<string, Promise<string>>();
let folder: string | undefined;

/** The path of a bundle of the program, whose path is given from the folder of the broker. */
export function bundled(program: 'main.ts' | 'demo.ts'): Promise<string> {
  let bundle = bundles.get(program);
  if (bundle === undefined) {
    bundle = makeBundle(program);
    bundles.set(program, bundle);
  }
  return bundle;
}

async function makeBundle(program: string): Promise<string> {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'purgatory-bundles-'));
    process.once('exit', () => rmSync(created, { recursive: true, force: true }));
    folder = created;
  }
  const outfile = join(folder, `${basename(program, '.ts')}.mjs`);
  await build({
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    entryPoints: [program],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    keepNames: true, // as tsx does
    plugins: [places],
    banner: { js: REQUIRE },
  });
  return outfile;
}
