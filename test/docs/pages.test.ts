import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { printed, program } from '../support/documented.ts';
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
