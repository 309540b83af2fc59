import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import {
  inspectorPageOf,
  printed,
  printingRecipes,
  program,
  recipe,
  saidToPrint,
} from '../support/documented.ts';
import { type Engine, engines, startRedis } from '../support/engines.ts';
import { describeWith } from '../support/needs.ts';
import { uncovered } from '../support/uncovered.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

function read(path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

async function files(folder: string, ending: string): Promise<string[]> {
  const all = await readdir(join(root, folder), { recursive: true });
  return all.filter((file) => file.endsWith(ending)).map((file) => `${folder}/${file}`);
}

/** A page shows parts of a program as they stand there; a line `// ...` is between two. */
function expectParts(name: string, shown: string): void {
  const lines = (text: string): string => text.replace(/^ +/gm, '').trim();
  const whole = lines(recipe(name));
  for (const part of lines(shown).split(/^\/\/ \.\.\.$/m)) expect(whole, name).to.contain(part.trim());
}

describe('The programs of the docs', () => {
  it('have a name, and are run by a test; or they are parts of a program that is linked', async () => {
    const tests = await Promise.all((await files('test', '.ts')).map(read));
    const pages = await files('docs', '.md');
    expect(pages).to.have.length.above(20);
    for (const page of pages) {
      const text = await read(page);
      for (const [, language, first, rest] of text.matchAll(/^```(\w+)\n([^\n]*)\n(.*?)^```/gms)) {
        expect(language, page).to.be.oneOf(['js', 'sh', 'text', 'mermaid']);
        if (language !== 'js') continue;
        const [, of, name] =
          /^\/\/ (of )?([\w.-]+\.[cm]?js)$/.exec(first) ?? expect.fail(`${page}: ${first} is no name`);
        if (of !== undefined) {
          expectParts(name, rest);
          expect(text, page).to.match(new RegExp(`\\]\\([./]+/examples/recipes/${name}\\)`));
          continue;
        }
        const titles = [page, basename(page, '.md')];
        expect(
          tests.some(
            (test) => test.includes(`'${name}'`) && titles.some((title) => test.includes(`'${title}'`)),
          ),
          `a test runs ${name} of ${page}`,
        ).to.equal(true);
      }
    }
  });

  it('are run by a test where they are files', async () => {
    const tests = await Promise.all((await files('test', '.ts')).map(read));
    const programs = await files('examples/recipes', '.mjs');
    expect(programs).to.have.length.above(20);
    const others = programs.filter((path) => !printingRecipes().includes(basename(path)));
    const run = (path: string): boolean => tests.some((test) => test.includes(`'${basename(path)}'`));
    expect(others.filter((path) => !run(path))).to.deep.equal([]);
  });

  for (const [page, name, output] of [
    ['delayed-operation', 'fetch.mjs', /^hello\n$/],
    ['drop-in-timers', 'drop-in.mjs', /^slept\n$/],
    ['drop-in-timers', 'globals.mjs', /^true\n$/],
    ['operations', 'metrics.mjs', /_operations{purgatory="fetch"} 0\n[\s\S]*_tasks{timer="main"} 0\n/],
    ['operations', 'events.mjs', /^polls: \w+, true\n$/],
  ] as const) {
    it(`print what docs/${page}.md says: ${name}`, async () => {
      expect(await printed(program(`docs/${page}.md`, name))).to.match(output);
    });
  }
});

describe('docs/inspector.md', () => {
  it('has a program that prints the address of the page', async () => {
    const source = program('docs/inspector.md', 'inspector.mjs').replace('port: 7070', 'port: 0');
    const alive = `${source}setTimeout(() => {}, 20_000);`; // the inspector keeps no process alive
    expect(await inspectorPageOf(alive)).to.contain('<title>');
  });
});

describe('docs/production.md', () => {
  it('has threads of which one hears of what another did', async () => {
    const folder = await mkdtemp(join(root, 'test/docs/.threads-')); // a Worker needs a file
    try {
      const file = join(folder, 'threads.mjs');
      await writeFile(file, program('docs/production.md', 'threads.mjs'));
      const { stdout } = await run(process.execPath, [file], { env: uncovered() });
      expect(stdout).to.equal("{ expired: false, value: 'order-7' }\n");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describeWith(engines.redis, 'The recipes with Redis', () => {
  let redis: Engine;
  let env: Record<string, string>;
  before(async () => {
    redis = await startRedis();
    env = { REDIS_URL: `redis://127.0.0.1:${redis.port}` };
  });
  after(() => redis.stop());

  it('wait in one process for what another does', async () => {
    expect(await printed(recipe('orders.mjs'), env)).to.equal(saidToPrint('orders.mjs'));
  });

  it('claim in one loop for all who wait, and give back what comes too late', async () => {
    const source = recipe('one-claim.mjs');
    expect(await printed(source, env)).to.equal(saidToPrint('one-claim.mjs'));
    // Many who wait, and many jobs that come while the loop is at work: none is lost, none is doubled.
    const herd = `
        const waits = Array.from({ length: 200 }, () => nextJob({ timeoutMs: 5_000 }));
        for (let i = 0; i < 200; i++) redis.rpush('jobs', i).then(claim);
        const values = (await Promise.all(waits)).map(({ value }) => Number(value));
        console.log(new Set(values).size, Math.max(...values), await redis.llen('jobs'));
        await redis.quit();`;
    const many = source.replace(/^await redis\.rpush[\s\S]*/m, herd);
    expect(many).to.not.equal(source);
    expect(await printed(many, env)).to.equal('200 199 0\n');
  });
});

describe('The recipes for several processes without a server', () => {
  it('carry an event between the workers of a cluster', async () => {
    const file = join(root, 'examples/recipes', 'cluster.mjs'); // cluster.fork needs a file
    const { stdout } = await run(process.execPath, [file], { env: uncovered() });
    expect(stdout).to.equal(saidToPrint('cluster.mjs'));
  });

  it('have a transport that passes the cases for transports', async () => {
    const output = await printed(recipe('transport.mjs'));
    expect(output).to.match(/^(# |ℹ )fail 0$/m);
    expect(output).not.to.match(/^(# |ℹ )pass 0$/m);
  });
});

describe('docs/bundlers-and-jest.md', () => {
  it('has a command that bundles a program, which then runs without node_modules', async () => {
    const page = await read('docs/bundlers-and-jest.md');
    const [, command] = /^```sh\n(esbuild .*?)\n^```/ms.exec(page) as unknown as [string, string];
    const folder = await mkdtemp(join(root, 'test/docs/.bundle-'));
    try {
      await writeFile(join(folder, 'server.mjs'), program('docs/delayed-operation.md', 'fetch.mjs'));
      const [, ...args] = command.split(' ');
      await run(join(root, 'node_modules/.bin/esbuild'), [...args, '--log-level=error'], { cwd: folder });
      const bundle = await readFile(join(folder, 'server.bundle.mjs'), 'utf8');
      expect(bundle).not.to.match(/^import .* from "(?!node:)/m);
      const env = uncovered();
      const { stdout } = await run(process.execPath, [join(folder, 'server.bundle.mjs')], { env });
      expect(stdout).to.equal('hello\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('The names of the numbers in docs/operations.md', () => {
  it('are those of the snapshot, and of the properties', async () => {
    const { Purgatory } = await import('../../src/index.ts');
    const purgatory = new Purgatory('words');
    const snapshot: object = purgatory.snapshot();
    const rows = [
      ...(await read('docs/operations.md')).matchAll(
        /^\| `purgatory_\w+` \|.*\| `([\w.]+)`(?:, `(\w+)`)? \|$/gm,
      ),
    ];
    expect(rows).to.have.length.above(7);
    for (const [, path, property] of rows) {
      expect(snapshot).to.have.nested.property(path);
      if (property !== undefined) expect(purgatory).to.have.property(property);
    }
    purgatory.close();
  });
});
