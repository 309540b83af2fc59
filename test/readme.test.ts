import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The first block of the README in `language`, as a reader copies it. */
function example(language: string): string {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(readme);
  if (block === null) throw new Error(`the README has no block of ${language}`);
  return block[1];
}

describe('the long poll of the README', () => {
  it('runs as written: a GET waits for the next POST', async () => {
    // Only the port is another: 8080 may be taken on the machine of the test.
    const source = example('js').replace(
      '.listen(8080)',
      '.listen(0, function () { console.log(this.address().port); })',
    );
    const server = spawn(process.execPath, ['--input-type=module', '-e', source], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = await once(server.stdout, 'data');
      const url = `http://127.0.0.1:${Number(line)}`;
      const poll = fetch(url).then((response) => response.json());
      await expectStillWaiting(poll);
      const posted = await fetch(`${url}/hello`, { method: 'POST' });
      expect(await posted.json()).to.deep.equal(['/hello']);
      expect(await poll).to.deep.equal(['/hello']);
    } finally {
      server.kill();
    }
  });
});

async function expectStillWaiting(promise: Promise<unknown>): Promise<void> {
  const waiting = Symbol('waiting');
  expect(await Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 100, waiting))])).to.equal(
    waiting,
  );
}
