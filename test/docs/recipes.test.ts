import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { DocumentedServer, printed, program } from '../support/documented.ts';
import { isInstalled, startPostgres } from '../support/engines.ts';

const recipe = (page: string, name: string): string => program(`docs/recipes/${page}.md`, name);

describe('The recipe for a long poll', function () {
  this.timeout(30_000);

  for (const name of ['http.mjs', 'express.mjs', 'fastify.mjs']) {
    describe(name, () => {
      it('answers what is there at once, and what comes later as soon as it comes', async () => {
        await using server = await DocumentedServer.start(recipe('long-poll', name));
        const url = `http://127.0.0.1:${server.port}/messages`;
        const poll = get(`${url}?from=0`);
        const posted = await fetch(url, { method: 'POST', body: 'hello' });
        expect(posted.status).to.equal(201);
        expect(await poll).to.deep.equal({ waiting: 0, messages: ['hello'] });
        expect(await get(`${url}?from=0`)).to.deep.equal({ waiting: 0, messages: ['hello'] });
      });

      it('keeps nothing of a client that has gone', async () => {
        await using server = await DocumentedServer.start(recipe('long-poll', name));
        const url = `http://127.0.0.1:${server.port}/messages`;
        const client = new AbortController();
        const polls = Array.from({ length: 5 }, () => fetch(url, { signal: client.signal }));
        const gone = Promise.allSettled(polls);
        await sleep(200);
        client.abort();
        await gone;
        // The last poll answers how many wait beside it, once the server has heard that the five have gone.
        await sleep(200);
        const last = get(url);
        await sleep(100);
        await fetch(url, { method: 'POST', body: 'hello' });
        expect(await last).to.deep.equal({ waiting: 0, messages: ['hello'] });
      });

      it('ends on SIGTERM although a request is parked', async () => {
        await using server = await DocumentedServer.start(recipe('long-poll', name));
        const poll = fetch(`http://127.0.0.1:${server.port}/messages`, { headers: { connection: 'close' } });
        await sleep(200);
        const ended = server.terminate();
        expect((await poll).status).to.equal(503);
        expect(await ended).to.equal(0);
      });
    });
  }
});

describe('The recipe for idle WebSockets', () => {
  it('ends a connection that is silent, and none that answers pings', async () => {
    await using server = await DocumentedServer.start(recipe('websocket-idle', 'websocket.mjs'), {
      IDLE_MS: '300',
    });
    const url = `ws://127.0.0.1:${server.port}`;
    const alive = new WebSocket(url);
    const silent = new WebSocket(url, { autoPong: false });
    await Promise.all([once(alive, 'open'), once(silent, 'open')]);
    await once(silent, 'close');
    await sleep(600);
    expect(alive.readyState).to.equal(WebSocket.OPEN);
    alive.send('hello');
    const [data] = await once(alive, 'message');
    expect(String(data)).to.equal('echo: hello');
    alive.close();
  });
});

describe('The recipe for request and reply', () => {
  it('tells a reply, an error, a deadline and a lost connection apart', async () => {
    expect(await printed(recipe('rpc', 'rpc.mjs'))).to.equal(
      '3\nno method divide\nERR_PURGATORY_TIMEOUT\nthe connection was lost\n',
    );
  });
});

(isInstalled('postgres') ? describe : describe.skip)('The recipe for a job in a database', () => {
  it('answers when the row has changed, and by the deadline when it has not', async function () {
    this.timeout(60_000);
    const postgres = await startPostgres();
    try {
      const url = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
      expect(await printed(recipe('database-job', 'job.mjs'), { DATABASE_URL: url })).to.equal(
        'forty-two\nundefined\n',
      );
    } finally {
      await postgres.stop();
    }
  });
});

describe('The recipe for fetch', () => {
  it('ends by the deadline or by the caller, and leaves nothing that keeps the process', async () => {
    expect(await printed(recipe('fetch-deadline', 'fetch.mjs'))).to.equal(
      'answer of /fast\n/slow: TimeoutError\n/slow: AbortError\n',
    );
  });
});

describe('The recipes for metrics', () => {
  it('serve what Prometheus scrapes', async () => {
    await using server = await DocumentedServer.start(recipe('prometheus', 'prometheus.mjs'));
    const url = `http://127.0.0.1:${server.port}`;
    expect(await get(url)).to.deep.equal({ expired: true });
    const scrape = await (await fetch(`${url}/metrics`)).text();
    expect(scrape).to.contain('purgatory_expired_total{purgatory="polls"} 1\n');
  });

  it('export to OpenTelemetry', async () => {
    const output = await printed(recipe('opentelemetry', 'opentelemetry.mjs'));
    expect(exported(output, 'purgatory.parked_operations')).to.deep.equal([1, 0]);
    expect(exported(output, 'purgatory.expired')).to.deep.equal([0, 1]);
  });
});

/** The values of a metric, export by export. */
function exported(output: string, metric: string): number[] {
  const values = output.matchAll(new RegExp(`name: '${metric}'[^]*?\\bvalue: (\\d+)`, 'g'));
  return [...values].map(([, value]) => Number(value));
}

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}
