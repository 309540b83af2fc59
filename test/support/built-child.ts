// Many short processes of one script of test/compat/children.
//
// Ground rules. The script is bundled once for all processes that this one starts: each then starts
// in a quarter of the time that tsx takes to load the sources one by one. So nothing of it is
// covered. The bundle lies in a temporary folder, which is removed when this process ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type ChildResult, runNode } from './child.ts';

/** Packages of CommonJS that are bundled look for `require`. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

const bundles = new Map<string, Promise<string>>();
let folder: string | undefined;

/** Runs `test/compat/children/<name>.ts` with `args`, as `runChild` does, without coverage. */
export async function runBuiltChild(
  name: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<ChildResult> {
  let bundle = bundles.get(name);
  if (bundle === undefined) {
    bundle = bundled(name);
    bundles.set(name, bundle);
  }
  return runNode([...flags, await bundle, ...args]);
}

async function bundled(name: string): Promise<string> {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'purgatory-children-'));
    process.once('exit', () => rmSync(created, { recursive: true, force: true }));
    folder = created;
  }
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`../compat/children/${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    keepNames: true, // as tsx does
    banner: { js: REQUIRE },
  });
  return outfile;
}
