import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { uncovered } from '../support/uncovered.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const recipes = join(root, 'docs/recipes');
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: 'nodenext',
  target: 'es2022',
  types: ['node'],
  noEmit: true,
  skipLibCheck: true,
};

interface Replacement {
  readonly from: string;
  readonly to: string;
  isUsed: boolean;
}

/** The rows of the tables of a text, in their order. */
function replacements(text: string): Replacement[] {
  const rows = [...text.matchAll(/^\| `(.+?)` \| `(.+?)` \|$/gm)];
  return rows.map(([, from, to]) => ({ from, to, isUsed: false }));
}

function replaced(source: string, rows: readonly Replacement[]): string {
  return rows.reduce((text, row) => {
    row.isUsed ||= text.includes(row.from);
    return text.replaceAll(row.from, () => row.to);
  }, source);
}

/** The programs of all recipes as TypeScript, by name, and the rows that no program needs. */
async function programs(): Promise<{ sources: Map<string, string>; unused: string[] }> {
  const page = (name: string): Promise<string> => readFile(join(recipes, name), 'utf8');
  const [, ...sections] = (await page('typescript.md')).split(/^## /m);
  const bySection = new Map(
    sections.map((section) => [section.slice(0, section.indexOf('\n')), replacements(section)]),
  );
  const common = bySection.get('In all of them') ?? [];
  const sources = new Map<string, string>();
  const unused: string[] = [];
  for (const name of await readdir(recipes)) {
    if (name === 'typescript.md') continue;
    const text = await page(name);
    const own = replacements(text);
    for (const [, source, program] of text.matchAll(/^```js\n(\/\/ (\S+\.mjs)\n.*?)^```/gms)) {
      const rows = [...own, ...(bySection.get(program) ?? []), ...common];
      sources.set(program.replace('.mjs', '.mts'), replaced(source, rows));
    }
    unused.push(...own.filter(({ isUsed }) => !isUsed).map(({ from }) => `${name}: ${from}`));
  }
  for (const [section, rows] of bySection) {
    unused.push(
      ...rows.filter(({ isUsed }) => !isUsed).map(({ from }) => `typescript.md, ${section}: ${from}`),
    );
  }
  return { sources, unused };
}

/** What the compiler says of them. */
async function compiled(sources: ReadonlyMap<string, string>): Promise<string> {
  // Inside the repository: its packages, and its own import paths, are found from there.
  const folder = await mkdtemp(join(root, 'test/docs/.recipes-'));
  try {
    for (const [name, source] of sources) await writeFile(join(folder, name), source);
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

describe('The recipes with the annotations that their pages list', function () {
  this.timeout(60_000);

  it('compile as strict TypeScript, all of them', async () => {
    const { sources, unused } = await programs();
    expect(sources.size).to.be.above(25);
    expect(await compiled(sources)).to.equal('');
    expect(unused).to.deep.equal([]);
  });
});
