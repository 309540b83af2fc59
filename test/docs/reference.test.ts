import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { transform } from 'esbuild';
import { ok, runNode, summary } from '../support/child.ts';
import { type Engine, isInstalled, startNats, startPostgres, startRedis } from '../support/engines.ts';

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

/** Examples that need a server, and how they find it. */
const servers: Record<
  string,
  { start: () => Promise<Engine>; isThere: () => boolean; env: (port: number) => NodeJS.ProcessEnv }
> = {
  'purgatory/bus/redis': {
    start: startRedis,
    isThere: () => isInstalled('redis'),
    env: (port) => ({ REDIS_URL: `redis://127.0.0.1:${port}` }),
  },
  'purgatory/bus/nats': {
    start: startNats,
    isThere: () => isInstalled('nats'),
    env: (port) => ({ NATS_URL: `127.0.0.1:${port}` }),
  },
  'purgatory/bus/postgres': {
    start: startPostgres,
    isThere: () => isInstalled('postgres'),
    env: (port) => ({ POSTGRES_URL: `postgres://postgres@127.0.0.1:${port}/postgres` }),
  },
};

/**
 * Examples run without their types, like the built code of users, because a worker thread takes no
 * TypeScript.
 */
const built = new URL('./.examples/', import.meta.url);

async function build(page: string, source: string): Promise<string> {
  const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'node20' });
  const file = new URL(`${page}.mjs`, built);
  await writeFile(file, code);
  return fileURLToPath(file);
}

/** What the comments behind `console.log(...)` say that it prints. */
function promised(source: string): string[] {
  return [...source.matchAll(/console\.log\(.*\).*; \/\/ (.*)$/gm)].map(([, text]) => text);
}

describe('The API reference', function () {
  this.timeout(60_000);

  before(() => mkdir(built, { recursive: true }));
  after(() => rm(built, { recursive: true }));

  it('has a page and an example for each import path, and no other', () => {
    const pages = subpaths.map(([path]) => pageOf(path));
    const files = pages.flatMap((page) => [`${page}.ts`, `${page}.example.ts`]);
    const there = readdirSync(folder).filter((file) => file.endsWith('.ts'));
    expect(there.sort()).to.deep.equal(files.sort());
  });

  for (const [path, source] of subpaths) {
    const page = pageOf(path);

    it(`has ${path} by its import path, with one example`, () => {
      const text = readFileSync(new URL(`${page}.ts`, folder), 'utf8');
      expect(text).to.contain(` * @module ${path}\n`).and.contain(`export * from '${source}';\n`);
      expect(text.match(/@example\n \* \{@includeCode \.\/(.*)\}/)?.[1]).to.equal(`${page}.example.ts`);
    });

    it(`has an example of ${path} that prints what its comments say`, async function () {
      const server = servers[path];
      if (server !== undefined && !server.isThere()) this.skip();
      const example = readFileSync(new URL(`${page}.example.ts`, folder), 'utf8');
      expect(example).to.contain(`from '${path}';`);
      const lines = promised(example);
      expect(lines).to.not.be.empty;
      const file = await build(page, example);
      const engine = await server?.start();
      try {
        const env = engine === undefined ? {} : server.env(engine.port);
        const child = summary(await runNode([file], { env }));
        const printed = child.stdout.split('\n').sort().join('\n');
        expect({ ...child, stdout: printed }).to.deep.equal(ok(lines.sort().join('\n')));
      } finally {
        await engine?.stop();
      }
    });
  }
});
