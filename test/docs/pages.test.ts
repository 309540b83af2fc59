import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { printed, program } from '../support/documented.ts';
import { isInstalled, startRedis } from '../support/engines.ts';
import { uncovered } from '../support/uncovered.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

function read(path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

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

(isInstalled('redis') ? describe : describe.skip)('docs/many-processes.md', () => {
  it('has a program that waits for an order to ship', async function () {
    this.timeout(30_000);
    const redis = await startRedis();
    try {
      const env = { REDIS_URL: `redis://127.0.0.1:${redis.port}` };
      const output = await printed(program('docs/many-processes.md', 'orders.mjs'), env);
      expect(output).to.equal("{ expired: false, value: 'parcel-1' }\n");
    } finally {
      await redis.stop();
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
