import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { ok, runNode, summary } from '../support/child.ts';
import { inspectorPageOf, printed } from '../support/documented.ts';
import { engines, startRedis } from '../support/engines.ts';
import { itWith } from '../support/needs.ts';
import { until } from '../support/turns.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

function page(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** The block of JavaScript in the README that has `text`, as a reader copies it. */
async function example(text: string): Promise<string> {
  const blocks = [...(await page('README.md')).matchAll(/^```js\n(.*?)^```/gms)].map(([, block]) => block);
  const block = blocks.find((code) => code.includes(text));
  if (block === undefined) throw new Error(`the README has no block with ${text}`);
  return block;
}

describe('the first program of the README', () => {
  it('prints what its comments say', async () => {
    expect(await printed(await example('parcelOf'))).to.equal("{ expired: false, value: 'parcel-1' }\n0\n");
  });
});

describe('the two processes of the README', () => {
  itWith(engines.redis, 'run as written: what one ships, the other hears of', async () => {
    const engine = await startRedis();
    const folder = await mkdtemp(join(root, 'test/.orders-')); // beside node_modules, as a reader's file
    try {
      const file = join(folder, 'orders.mjs');
      await writeFile(file, await example('redisBus'));
      const env = { REDIS_URL: `redis://127.0.0.1:${engine.port}` };
      const waiting = runNode([file, 'wait', '7'], { env });
      const redis = new Redis(engine.port);
      const listeners = async (): Promise<unknown> => (await redis.pubsub('NUMSUB', 'purgatory'))[1];
      await until(listeners, 'the waiting process subscribes');
      await redis.quit();
      expect(summary(await runNode([file, 'ship', '7'], { env }))).to.deep.equal(ok(''));
      expect(summary(await waiting)).to.deep.equal(ok("{ expired: false, value: 'shipped' }"));
    } finally {
      await rm(folder, { recursive: true });
      await engine.stop();
    }
  });
});

describe('the inspector of the README', () => {
  it('serves its page for as long as something waits', async () => {
    const source = (await example('createInspector')).replace('port: 7070', 'port: 0'); // it may be taken
    expect(await inspectorPageOf(source)).to.contain('<title>');
  });
});
