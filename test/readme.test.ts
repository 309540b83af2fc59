import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ok, runNode, summary } from './support/child.ts';
import { engines, startRedis } from './support/engines.ts';
import { itWith } from './support/needs.ts';
import { uncovered } from './support/uncovered.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function page(path: string): Promise<string> {
  return readFile(new URL(`../${path}`, import.meta.url), 'utf8');
}

/** The block of JavaScript in the README that has `text`, as a reader copies it. */
async function example(text: string): Promise<string> {
  const blocks = [...(await page('README.md')).matchAll(/^```js\n(.*?)^```/gms)].map(([, block]) => block);
  const block = blocks.find((code) => code.includes(text));
  if (block === undefined) throw new Error(`the README has no block with ${text}`);
  return block;
}

describe('the long poll of the README', () => {
  let server: ChildProcess;
  let lines: AsyncIterator<string>;
  let url: string;

  beforeEach(async () => {
    // Only the port differs, because 3000 may be taken on the machine of the test. And it prints
    // how many are parked.
    const source = (await example('createServer')).replace(
      '.listen(3000)',
      '.listen(0, function () { console.log(this.address().port); })',
    );
    const watched = `${source}\nsetInterval(() => console.log(polls.numDelayed), 5);`;
    const argv = ['--input-type=module', '-e', watched];
    server = spawn(process.execPath, argv, {
      cwd: root,
      env: uncovered(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    lines = createInterface({ input: server.stdout! })[Symbol.asyncIterator]();
    url = `http://127.0.0.1:${(await lines.next()).value}`;
  });

  afterEach(async () => {
    server.kill();
    await once(server, 'exit');
  });

  async function parked(count: number): Promise<void> {
    while ((await lines.next()).value !== String(count));
  }

  it('runs as written: a GET waits for the next POST', async () => {
    const poll = fetch(url).then((response) => response.json());
    await parked(1);
    await fetch(`${url}/hello`, { method: 'POST' });
    expect(await poll).to.deep.equal(['/hello']);
    await parked(0);
  });

  it('loses none of two posts back to back to a client that counts what it got', async () => {
    const ask = async (from: number): Promise<string[]> =>
      (await fetch(`${url}?from=${from}`)).json() as Promise<string[]>;
    for (const name of ['a', 'b']) await fetch(`${url}/${name}`, { method: 'POST' });
    expect(await ask(0)).to.deep.equal(['/a', '/b']);
    expect(await ask(1)).to.deep.equal(['/b']);
  });

  it('leaves nothing behind when the client has gone', async () => {
    const controller = new AbortController();
    const poll = fetch(url, { signal: controller.signal }).catch((error: Error) => error.name);
    await parked(1);
    controller.abort();
    expect(await poll).to.equal('AbortError');
    await parked(0);
  });
});

describe('the bus of the README', () => {
  itWith(
    engines.redis,
    'runs as written: the hint reaches a purgatory of the same name on another connection',
    async () => {
      const engine = await startRedis();
      try {
        const stage = `const id = 'order-7'; const writeShipment = async () => {};`;
        const other = `
        const others = new Purgatory('orders', { bus: redisBus(new Redis(process.env.REDIS_URL)) });
        let tries = 0;
        const enough = () => (++tries > 6 ? 'told' : undefined); // parking and the first sweep try three times
        setInterval(() => orders.notify(id), 20);
        console.log(await others.waitFor([id], enough, { timeoutMs: 20_000 }));
        process.exit();
      `;
        const source = `${stage}${await example('redisBus')}${other}`;
        const env = { REDIS_URL: `redis://127.0.0.1:${engine.port}` };
        const child = await runNode(['--input-type=module', '-e', source], { env });
        expect(summary(child)).to.deep.equal(ok("{ expired: false, value: 'told' }"));
      } finally {
        await engine.stop();
      }
    },
  );
});

describe('the inspector of the README', () => {
  it('runs as written: it prints the address of its page', async () => {
    const stage = `import { Purgatory } from 'purgatory'; const polls = new Purgatory('polls');`;
    const source = (await example('createInspector')).replace('port: 7070', 'port: 0'); // it may be taken
    const child = await runNode(['--input-type=module', '-e', `${stage}${source}`]);
    expect(child.stdout).to.match(/^http:\/\/127\.0\.0\.1:\d+\/\n$/);
    expect([child.code, child.stderr]).to.deep.equal([0, '']);
  });
});
