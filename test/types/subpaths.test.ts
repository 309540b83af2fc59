// `npm run typecheck` checks the files of this folder that end with .types.ts against the built
// declarations. None of them runs: they check types, and lines that must be an error.
import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';

const here = new URL('.//', import.meta.url);

describe('The type tests', () => {
  it('cover every subpath export', async () => {
    const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    const files = (await readdir(here)).filter((file) => file.endsWith('.types.ts'));
    const sources = await Promise.all(files.map((file) => readFile(new URL(file, here), 'utf8')));
    for (const subpath of Object.keys(manifest.exports).filter((each) => each !== './package.json')) {
      const imported = `from 'purgatory${subpath.slice(1)}';`;
      expect(
        sources.some((source) => source.includes(imported)),
        subpath,
      ).to.equal(true);
    }
  });
});

describe('The declarations', () => {
  it('have no generic typed array, which TypeScript before 5.7 does not know', async () => {
    const dist = new URL('../../dist/', import.meta.url);
    const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
    expect(files).to.not.be.empty;
    for (const file of files) {
      expect(await readFile(new URL(file, dist), 'utf8'), file).to.not.match(/\b(\w+\d+Array|Buffer)</);
    }
  });
});

describe('The import paths', () => {
  /** Paths below the package, and the source file of each. */
  const sources = async (): Promise<[path: string, source: string][]> => {
    const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    return Object.entries(manifest.exports as Record<string, { types: string }>)
      .filter(([path]) => path !== './package.json')
      .map(([path, { types }]) => [path, types.replace('./dist/', '').replace('.d.ts', '.ts')]);
  };

  it('of capabilities lead to the index.ts of a folder', async () => {
    const others = (await sources()).filter(
      ([path, source]) => !`/${source}`.endsWith(`${path.slice(1)}/index.ts`),
    );
    expect(others.map(([path]) => path).filter((path) => path !== '.')).to.deep.equal([
      './timers/promises',
      './bus/redis',
      './bus/nats',
      './bus/postgres',
      './bus/cluster',
      './bus/workers',
      './bus/conformance',
    ]);
  });

  it('that lead to an index.ts find nothing there but exports', async () => {
    const faces = (await sources()).map(([, source]) => source).filter((file) => file.endsWith('index.ts'));
    for (const face of faces) {
      const source = await readFile(new URL(`../../src/${face}`, import.meta.url), 'utf8');
      const rest = source.replaceAll(/^\/\/.*$|^export (type )?(\*|\{[^}]*\}) from '[^']+';$/gm, '').trim();
      expect(rest, face).to.equal('');
    }
  });
});
