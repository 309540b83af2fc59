import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ok, runNode, summary } from '../support/child.ts';

const folder = new URL('../../docs/reference/', import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Import paths and the source file that each leads to. */
const subpaths: [path: string, source: string][] = Object.entries(
  exports as Record<string, { types: string }>,
)
  .filter(([subpath]) => subpath !== './package.json')
  .map(([subpath, { types }]) => [
    `purgatory${subpath.slice(1)}`,
    types.replace('./dist/', '../../src/').replace('.d.ts', '.ts'),
  ]);

/** `purgatory` is index, `purgatory/timers/promises` is timers-promises. */
function pageOf(path: string): string {
  return path === 'purgatory' ? 'index' : path.replace('purgatory/', '').replaceAll('/', '-');
}

/** What the comments behind `console.log(...)` say that it prints. */
function promised(source: string): string[] {
  return [...source.matchAll(/console\.log\(.*\).*; \/\/ (.*)$/gm)].map(([, text]) => text);
}

describe('The API reference', () => {
  it('has a page and an example for each import path, and no other', () => {
    const pages = subpaths.map(([path]) => pageOf(path));
    const files = pages.flatMap((page) => [`${page}.ts`, `${page}.example.ts`]);
    expect(readdirSync(folder).sort()).to.deep.equal(files.sort());
  });

  for (const [path, source] of subpaths) {
    const page = pageOf(path);

    it(`has ${path} by its import path, with one example`, () => {
      const text = readFileSync(new URL(`${page}.ts`, folder), 'utf8');
      expect(text).to.contain(` * @module ${path}\n`).and.contain(`export * from '${source}';\n`);
      expect(text.match(/@example\n \* \{@includeCode \.\/(.*)\}/)?.[1]).to.equal(`${page}.example.ts`);
    });

    it(`has an example of ${path} that prints what its comments say`, async () => {
      const file = `docs/reference/${page}.example.ts`;
      const example = readFileSync(new URL(`${page}.example.ts`, folder), 'utf8');
      expect(example).to.contain(`from '${path}';`);
      const lines = promised(example);
      expect(lines).to.not.be.empty;
      const child = summary(await runNode(['--import', 'tsx', file]));
      const printed = child.stdout.split('\n');
      expect({ ...child, stdout: printed.sort().join('\n') }).to.deep.equal(ok(lines.sort().join('\n')));
    });
  }
});
