import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { program } from '../support/documented.ts';
import { uncovered } from '../support/uncovered.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: 'nodenext',
  target: 'es2022',
  types: ['node'],
  noEmit: true,
  skipLibCheck: true,
};

/** What the page says to replace in its programs, in the order of its table. */
async function replacements(page: string): Promise<[string, string][]> {
  const text = await readFile(join(root, page), 'utf8');
  const rows = [...text.matchAll(/^\| `(.+?)` \| `(.+?)` \|$/gm)];
  return rows.map(([, javaScript, typeScript]) => [javaScript, typeScript]);
}

/** What the compiler says of the programs of the page, with the replacements made. */
async function compiled(page: string, names: readonly string[]): Promise<string> {
  // Inside the repository: its packages, and its own import paths, are found from there.
  const folder = await mkdtemp(join(root, 'test/docs/.recipes-'));
  try {
    const pairs = await replacements(page);
    for (const name of names) {
      const source = pairs.reduce((text, [from, to]) => text.replaceAll(from, () => to), program(page, name));
      await writeFile(join(folder, name.replace('.mjs', '.mts')), source);
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder], {
      env: uncovered(),
    }).catch((error: { stdout: string }) => error);
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('The recipes with the annotations that their page lists', function () {
  this.timeout(60_000);

  const recipes: readonly [page: string, names: readonly string[]][] = [
    ['docs/recipes/long-poll.md', ['http.mjs', 'express.mjs', 'fastify.mjs']],
    ['docs/recipes/database-job.md', ['job.mjs']],
  ];
  for (const [page, names] of recipes) {
    it(`compile as strict TypeScript: ${page}`, async () => {
      expect(await compiled(page, names)).to.equal('');
    });
  }
});
