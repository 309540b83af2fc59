import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { LocalHub } from '../../src/bus/index.ts';
import { Purgatory } from '../../src/index.ts';
import { registerMetrics } from '../../src/observe/metrics/index.ts';
import { IdleTimeouts } from '../../src/waits/idle/index.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { Semaphore } from '../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { DocumentedServer, recipe } from '../support/documented.ts';
import { hall } from '../support/op.ts';
import { turn } from '../support/turns.ts';

const never = (): Promise<never> => new Promise(() => {});

/** All names that a scrape of everything brings, the parts of histograms included. */
async function scrapedNames(): Promise<Set<string>> {
  const { purgatory, timer } = hall();
  const bus = new LocalHub().bus();
  const registry = new Registry();
  const waits = new SharedWaits('waits', { load: never });
  const permits = new Semaphore('permits', { units: 1 });
  permits.tryAcquire({ label: 'held' });
  const polls = new Purgatory('polls');
  polls.waitFor(['key'], never, { timeoutMs: 60_000 }).catch(() => {});
  waits.waitUntil('key', () => undefined, { timeoutMs: 60_000 }).catch(() => {});
  await turn();
  const others = [
    new Queues('queues', { maxItems: 5 }),
    new Replies('replies'),
    new IdleTimeouts('idle', { onIdle: () => {} }),
  ];
  const purgatories = [purgatory, polls, waits, permits, ...others];
  const stop = registerMetrics(registry, { purgatories, timers: [timer], buses: [bus] });
  const text = await registry.metrics();
  stop();
  waits.close();
  polls.close();
  await bus.close();
  return new Set([...text.matchAll(/^(?:# TYPE )?(purgatory_\w+)/gm)].map(([, name]) => name));
}

function namesIn(text: string): string[] {
  return [...new Set(text.match(/\bpurgatory_\w+/g))];
}

function docs(path: string): Promise<string> {
  return readFile(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
}

describe('What docs/ says of metrics', () => {
  for (const path of ['operations.md', 'grafana/dashboard.json', 'grafana/alerts.yml']) {
    it(`asks in ${path} for metrics that exist`, async () => {
      const names = namesIn(await docs(path));
      expect(names).to.not.be.empty;
      const scraped = await scrapedNames();
      expect(names.filter((name) => !scraped.has(name))).to.deep.equal([]);
    });
  }

  it('explains every metric in operations.md', async () => {
    const explained = new Set(namesIn(await docs('operations.md')));
    const metrics = [...(await scrapedNames())].map((name) =>
      name.replace(/(?<=_seconds)_(bucket|sum|count)$/, ''),
    );
    expect(metrics.filter((name) => !explained.has(name))).to.deep.equal([]);
  });
});

describe('An inspector that is mounted as docs/inspector.md prints it', () => {
  for (const name of ['inspector-http.mjs', 'inspector-express.mjs', 'inspector-fastify.mjs']) {
    it(`serves its page and the stream, and leaves the rest to the server: ${name}`, async () => {
      await using server = await DocumentedServer.start(recipe(name));
      const url = `http://127.0.0.1:${server.port}`;
      const page = await fetch(`${url}/inspector`);
      expect([page.status, page.url]).to.deep.equal([200, `${url}/inspector/`]);
      expect(await page.text()).to.contain('<title>');
      const stream = await fetch(new URL('events', page.url));
      expect(stream.headers.get('content-type')).to.match(/^text\/event-stream/);
      for (const path of ['/inspector/nothing', '/inspectors', '/']) {
        expect((await fetch(url + path)).status, path).to.equal(404);
      }
      expect(await server.terminate()).to.equal(0);
      await stream.body?.cancel();
    });
  }
});
