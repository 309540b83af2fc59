import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { inspectorPageOf, printed, program } from '../support/documented.ts';
import { type Engine, engines, startPostgres, startRedis } from '../support/engines.ts';
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

describe('The programs of the docs', () => {
  it('are whole, have a name, and are run by a test', async () => {
    const tests = await Promise.all((await files('test', '.ts')).map(read));
    const pages = await files('docs', '.md');
    expect(pages).to.have.length.above(20);
    for (const page of pages) {
      for (const [, language, first] of (await read(page)).matchAll(/^```(\w+)\n(.*)$/gm)) {
        expect(language, page).to.be.oneOf(['js', 'sh', 'text', 'mermaid']);
        if (language !== 'js') continue;
        const [, name] =
          /^\/\/ ([\w.-]+\.[cm]?js)$/.exec(first) ?? expect.fail(`${page}: ${first} is no name`);
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

  const outputs: readonly [page: string, name: string, output: string][] = [
    ['async-context', 'request-context.mjs', 'answered in the context of the fetch\n'],
    ['drop-in-timers', 'drop-in.mjs', 'slept\n'],
    ['drop-in-timers', 'globals.mjs', 'true\n'],
    ['herd', 'one-item.mjs', '1 19999\n'],
    [
      'many-processes',
      'jobs.mjs',
      "{ expired: false, value: 'forty-two' }\n{ expired: false, value: 'removed' }\n",
    ],
    ['many-processes', 'replicated.mjs', '{ expired: false, value: 9 }\n'],
    ['schemes', 'netty.mjs', 'true true\n0\n1\n'],
  ];
  for (const [page, name, output] of outputs) {
    it(`print what docs/${page}.md says: ${name}`, async () => {
      expect(await printed(program(`docs/${page}.md`, name))).to.equal(output);
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

describe('docs/delayed-operation.md', () => {
  it('has a program that prints what the page says', async () => {
    expect(await printed(program('docs/delayed-operation.md', 'fetch.mjs'))).to.equal('hello\n');
  });
});

describe('docs/coming-from-map-and-settimeout.md', () => {
  it('has a program that prints the differences', async () => {
    const page = 'docs/coming-from-map-and-settimeout.md';
    const [, text] = /^```text\n(.*?)^```/ms.exec(await read(page)) as unknown as [string, string];
    expect(await printed(program(page, 'differences.mjs'))).to.equal(text);
  });
});

describe('docs/operations.md', () => {
  it('has a program that serves metrics', async () => {
    const output = await printed(program('docs/operations.md', 'metrics.mjs'));
    expect(output).to.contain('purgatory_parked_operations{purgatory="fetch"} 0\n');
    expect(output).to.contain('purgatory_timer_pending_tasks{timer="main"} 0\n');
  });

  it('has a program that listens to events', async () => {
    expect(await printed(program('docs/operations.md', 'events.mjs'))).to.match(/^polls: \w+, true\n$/);
  });
});

describeWith(engines.redis, 'docs/many-processes.md', () => {
  let redis: Engine;
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis.stop());

  it('has a program that waits for an order to ship', async () => {
    const env = { REDIS_URL: `redis://127.0.0.1:${redis.port}` };
    const output = "{ expired: false, value: 'parcel-1' }\n";
    expect(await printed(program('docs/many-processes.md', 'orders.mjs'), env)).to.equal(output);
  });
});

describeWith(engines.redis, 'docs/herd.md', () => {
  it('has a loop that claims for all who wait, and gives back what comes too late', async () => {
    const redis = await startRedis();
    try {
      const env = { REDIS_URL: `redis://127.0.0.1:${redis.port}` };
      const source = program('docs/herd.md', 'one-claim.mjs');
      const output = "AbortError\n{ expired: false, value: 'job-7' }\n";
      expect(await printed(source, env)).to.equal(output);
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
    } finally {
      await redis.stop();
    }
  });
});

describe('docs/many-processes.md without a server', () => {
  it('has a program that carries an event between the workers of a cluster', async () => {
    const folder = await mkdtemp(join(root, 'test/docs/.workers-')); // cluster.fork needs a file
    try {
      const path = join(folder, 'workers.mjs');
      await writeFile(path, program('docs/many-processes.md', 'workers.mjs'));
      const { stdout } = await run(process.execPath, [path], { env: uncovered() });
      expect(stdout).to.equal("{ expired: false, value: 'order-7' }\n");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('has a transport that passes the cases for transports', async () => {
    const output = await printed(program('docs/many-processes.md', 'conformance.test.mjs'));
    expect(output).to.match(/^(# |ℹ )fail 0$/m);
    expect(output).not.to.match(/^(# |ℹ )pass 0$/m);
  });
});

describeWith(engines.postgres, 'docs/many-processes.md with PostgreSQL', () => {
  it('has a program that notifies in a transaction', async () => {
    const postgres = await startPostgres();
    try {
      const env = { DATABASE_URL: `postgres://postgres@127.0.0.1:${postgres.port}/postgres` };
      const output = await printed(program('docs/many-processes.md', 'transaction.mjs'), env);
      expect(output).to.equal('{ expired: false, value: true }\n');
    } finally {
      await postgres.stop();
    }
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

describe('docs/words.md', () => {
  it('names the numbers as the snapshot does', async () => {
    const { Purgatory } = await import('../../src/index.ts');
    const purgatory = new Purgatory('words');
    const snapshot: object = purgatory.snapshot();
    const rows = [
      ...(await read('docs/words.md')).matchAll(/^\| `([\w.]+)` \|.*\| (`\w+`)? ?\| `\w+` \|$/gm),
    ];
    expect(rows).to.have.length.above(7);
    for (const [, path, property] of rows) {
      expect(snapshot).to.have.nested.property(path);
      if (property !== undefined) expect(purgatory).to.have.property(property.slice(1, -1));
    }
    purgatory.close();
  });
});
