import { once } from 'node:events';
import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import {
  DocumentedServer,
  printed,
  printingRecipes,
  program,
  recipe,
  saidToPrint,
} from '../support/documented.ts';
import { type Engine, engines, startPostgres } from '../support/engines.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/turns.ts';

/** Else Express prints each request that breaks off. */
const QUIET = { NODE_ENV: 'test' };

/** What gives each recipe a middleware that takes 200 ms before the handler is called. */
const SLOW_MIDDLEWARE: Readonly<Record<string, [pattern: string, replacement: string]>> = {
  'http.mjs': [
    'createServer(async (request, response) => {',
    '$& await new Promise((done) => setTimeout(done, 200));',
  ],
  'long-poll-express.mjs': [
    'const app = express();',
    '$& app.use((_request, _response, next) => setTimeout(next, 200));',
  ],
  'long-poll-fastify.mjs': [
    'const app = fastify();',
    "$& app.addHook('onRequest', () => new Promise((done) => setTimeout(done, 200)));",
  ],
  'long-poll-hono.mjs': [
    'const app = new Hono();',
    '$& app.use(async (_context, next) => { await new Promise((done) => setTimeout(done, 200)); await next(); });',
  ],
};

/** Prints a line at each wait: then the request is read, and all that follows comes in the same turn. */
function sayingWhenParked(source: string): string {
  const saying = source.replace('polls.waitFor(', "(console.log('parked'), polls).waitFor(");
  expect(saying).to.not.equal(source);
  return saying;
}

/** A long poll: the page has the first, the others are files. */
function longPoll(name: string): string {
  return name === 'http.mjs' ? program('docs/recipes/long-poll.md', name) : recipe(name);
}

describe('The recipes that end by themselves', () => {
  // They wait more than they work: three at a time.
  const outputs = new Map<string, string>();
  before(async () => {
    const names = printingRecipes();
    const lane = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        outputs.set(name, await printed(recipe(name), { MINUTE_MS: '300' }).catch(String));
      }
    };
    await Promise.all([lane(), lane(), lane()]);
  });

  /** How long something is held depends on the machine. */
  const normal = (text = ''): string => text.replace(/\bfor \d+ s\b/g, 'for N s');

  for (const name of printingRecipes()) {
    it(`print what they say: ${name}`, () => {
      expect(normal(outputs.get(name))).to.equal(normal(saidToPrint(name)));
    });
  }
});

describe('The recipe for a long poll', () => {
  for (const name of ['http.mjs', 'long-poll-express.mjs', 'long-poll-fastify.mjs', 'long-poll-hono.mjs']) {
    describe(name, () => {
      // One server for all that it survives. Each message has its number there.
      let server: DocumentedServer;
      let url: string;
      const posted: string[] = [];

      before(async () => {
        server = await DocumentedServer.start(longPoll(name), QUIET);
        url = `http://127.0.0.1:${server.port}/messages`;
      });
      after(() => server[Symbol.asyncDispose]());

      async function post(body: string): Promise<void> {
        posted.push(body);
        expect((await fetch(url, { method: 'POST', body })).status).to.equal(201);
      }

      /** What a poll is answered while nobody else waits. */
      const answer = (from: number): unknown => ({
        waiting: 0,
        messages: posted.slice(from),
        next: posted.length,
      });

      it('answers what is there at once, and what comes later as soon as it comes', async () => {
        const from = posted.length;
        const poll = get(`${url}?from=${from}`);
        await post('hello');
        expect(await poll).to.deep.equal(answer(from));
        expect(await get(`${url}?from=${from}`)).to.deep.equal(answer(from));
      });

      it('loses no message between two polls, without a cursor and with the next one', async () => {
        for (const body of ['a', 'b']) await post(body);
        expect(await get(url)).to.deep.equal(answer(0));
        expect(await get(`${url}?from=${posted.length - 1}`)).to.deep.equal(answer(posted.length - 1));
        expect(await get(`${url}?from=${posted.length + 9}`), 'of a log before a restart').to.deep.equal(
          answer(0),
        );
      });

      it('keeps nothing of a client that has gone', async () => {
        const from = posted.length;
        const client = new AbortController();
        const polls = Array.from({ length: 5 }, () =>
          fetch(`${url}?from=${from}`, { signal: client.signal }),
        );
        const gone = Promise.allSettled(polls);
        /** A poll that is answered at once says how many others wait. */
        const wait = async (count: number): Promise<void> => {
          const seen = async () => (await get(`${url}?from=${from - 1}`)) as { waiting: number };
          await until(async () => expect(await seen()).to.include({ waiting: count }), `${count} wait`);
        };
        await wait(5);
        client.abort();
        await gone;
        await wait(0);
        const last = get(`${url}?from=${from}`);
        await wait(1);
        await post('hello');
        expect(await last).to.deep.equal(answer(from));
      });

      it('refuses a `from` that is no whole number', async () => {
        for (const from of ['abc', '1.5', '-1', 'Infinity']) {
          expect((await fetch(`${url}?from=${from}`)).status, from).to.equal(400);
        }
      });

      it('goes on after a bad URL, and after a post that breaks off', async () => {
        for (const head of ['GET //', 'POST /messages']) {
          const socket = connect(server.port, '127.0.0.1');
          socket.on('error', () => {}); // 'close' follows
          socket.write(`${head} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf`);
          await sleep(100); // in which the server reads it
          socket.destroy();
          await sleep(100); // and hears of the end
        }
        const from = posted.length;
        await post('hello');
        expect(await get(`${url}?from=${from}`)).to.deep.equal(answer(from));
      });

      it('keeps nothing of a client that has gone before the handler is called', async () => {
        const source = longPoll(name);
        const slow = source.replace(...SLOW_MIDDLEWARE[name]);
        expect(slow).to.not.equal(source);
        await using server = await DocumentedServer.start(slow);
        const url = `http://127.0.0.1:${server.port}/messages`;
        await fetch(`${url}?from=9`, { signal: AbortSignal.timeout(100) }).catch(() => {});
        await fetch(url, { method: 'POST', body: 'hello' }); // the middleware keeps the order
        expect(await get(url)).to.deep.equal({ waiting: 0, messages: ['hello'], next: 1 });
      });

      it('ends on SIGTERM although a request is parked on a connection that is kept', async () => {
        await using server = await DocumentedServer.start(sayingWhenParked(longPoll(name)));
        // As browsers and proxies keep theirs: it would hold the process until the host's own timeout.
        const agent = new Agent({ keepAlive: true });
        const answered = once(httpGet(`http://127.0.0.1:${server.port}/messages`, { agent }), 'response');
        await until(() => server.output.includes('parked'), 'the poll is parked');
        const ended = server.terminate();
        const [{ statusCode, headers }] = (await answered) as [IncomingMessage];
        expect([statusCode, headers.connection]).to.deep.equal([503, 'close']);
        agent.destroy();
        expect(await ended).to.equal(0);
      });
    });
  }
});

describe('The recipe for idle WebSockets', () => {
  /** Passes bytes on, in both directions, at 64 kB each 180 ms. */
  async function slowLink(port: number): Promise<{ port: number; close(): void }> {
    const throttled = (): Transform =>
      new Transform({
        highWaterMark: 65_536,
        transform(chunk, _encoding, done) {
          setTimeout(done, (180 * chunk.length) / 65_536, null, chunk);
        },
      });
    const sockets: Socket[] = [];
    const server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1');
      sockets.push(client, upstream);
      for (const socket of [client, upstream]) socket.on('error', () => {});
      client.pipe(throttled()).pipe(upstream);
      upstream.pipe(throttled()).pipe(client);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const close = (): void => {
      for (const socket of sockets) socket.destroy();
      server.close();
    };
    return { port: (server.address() as AddressInfo).port, close };
  }

  it('ends a connection that is silent; none that answers pings, or is on a slow link that carries 2 MB', async () => {
    // A busy machine may take long to answer a ping. The slow link takes 6 s in each direction.
    const IDLE_MS = '5000';
    await using server = await DocumentedServer.start(recipe('websocket-idle.mjs'), { IDLE_MS });
    const link = await slowLink(server.port);
    const url = (port: number): string => `ws://127.0.0.1:${port}`;
    const alive = new WebSocket(url(server.port));
    const silent = new WebSocket(url(server.port), { autoPong: false });
    const slow = new WebSocket(url(link.port));
    slow.on('error', () => {});
    const isSilentClosed = once(silent, 'close');
    await Promise.all([alive, silent, slow].map((socket) => once(socket, 'open')));
    const text = 'x'.repeat(2 * 1024 * 1024);
    slow.send(text);
    const answer = once(slow, 'message').then(([data]) => String(data).length);
    expect(await Promise.race([answer, once(slow, 'close').then(() => 'ended')])).to.equal(text.length + 6);
    await isSilentClosed;
    expect([alive, slow].map(({ readyState }) => readyState)).to.deep.equal([WebSocket.OPEN, WebSocket.OPEN]);
    alive.send('hello');
    const [data] = await once(alive, 'message');
    expect(String(data)).to.equal('echo: hello');
    for (const socket of [alive, slow]) socket.terminate();
    link.close();
  });

  it('ends on SIGTERM while messages arrive', async () => {
    await using server = await DocumentedServer.start(recipe('websocket-idle.mjs'));
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}`);
    socket.on('error', () => {}); // 'close' follows
    await once(socket, 'open');
    const traffic = setInterval(() => {
      for (let i = 0; i < 50 && socket.readyState === WebSocket.OPEN; i++) socket.send('x');
    }, 1);
    await sleep(100); // messages are under way
    expect(await server.terminate()).to.equal(0);
    clearInterval(traffic);
  });
});

describe('The recipe for request and reply', () => {
  const source = recipe('rpc.mjs');

  /** What the program prints when some of its text is replaced. */
  function printedWith(text: string, replacement: string): Promise<string> {
    const changed = source.replace(text, replacement);
    expect(changed).to.not.equal(source);
    return printed(changed);
  }

  it('survives a connection that is lost in the middle of a reply', async () => {
    const half = source
      .replace(
        "if (method === 'sleep') return;",
        `if (method === 'sleep') return socket.end('{"id":3,"resu');`,
      )
      .replace('timeoutMs: 50 }', 'timeoutMs: 60_000 }'); // it is the connection that ends the call
    expect(await printed(half)).to.equal(
      '3\nno method divide\nthe connection was lost\nthe connection was lost\nthe connection was lost 0\n',
    );
  });

  it('ends the connection of a client that sends nonsense, and goes on', async () => {
    const strangers = `
      for (const line of ['nonsense', 'null', '{"method":"add"}']) {
        const stranger = connect(server.address().port);
        stranger.on('error', () => {});
        stranger.write(line + '\\n');
        await new Promise((done) => stranger.on('close', done));
      }
      const broken = connect(server.address().port);
      await once(broken, 'connect');
      broken.write('{"id":');
      setTimeout(() => broken.resetAndDestroy(), 50);
      await once(broken, 'close');
      console.log(await call('add', [1, 2]));`;
    expect(await printedWith("console.log(await call('add', [1, 2]));", strangers)).to.equal(
      saidToPrint('rpc.mjs'),
    );
  });
});

describeWith(engines.postgres, 'The recipes for PostgreSQL', () => {
  let postgres: Engine;
  let env: { readonly DATABASE_URL: string };

  before(async () => {
    postgres = await startPostgres();
    env = { DATABASE_URL: `postgres://postgres@127.0.0.1:${postgres.port}/postgres` };
  });
  after(() => postgres.stop());

  it('print what they say: transaction.mjs', async () => {
    expect(await printed(recipe('transaction.mjs'), env)).to.equal(saidToPrint('transaction.mjs'));
  });

  it('answer when a row has changed, and by the deadline when it has not', async () => {
    expect(await printed(recipe('database-job.mjs'), env)).to.equal('forty-two\nundefined\n');
  });

  it('fail a read that hangs, in place of a wait that hears no event', async () => {
    const source = recipe('database-job.mjs')
      .replace('INSERT INTO jobs', 'TRUNCATE jobs; $&')
      .replace('query_timeout: 5_000', 'query_timeout: 1_000')
      .replace('SELECT result FROM jobs', 'SELECT pg_sleep(20), result FROM jobs');
    const caught = source.replace(
      "console.log(await resultOf('a', { timeoutMs: 5_000 }));",
      "console.log(await resultOf('a', { timeoutMs: 5_000 }).catch((error) => error.message)); process.exit();",
    );
    expect(await printed(caught, env)).to.equal('Query read timeout\n');
  });

  it('give a claim back that comes after the end of its wait', async () => {
    const source = recipe('database-claim.mjs');
    expect(await printed(source, env)).to.equal('AbortError\n1\n');
    const careless = source
      .replace(/^.*context\.signal\.aborted.*\n/m, '')
      .replace('query_timeout: 5_000', '$&, max: 1') // the first claim is carried out first
      .replace("nextTask('two', { timeoutMs: 5_000", "nextTask('two', { timeoutMs: 500");
    expect(await printed(careless, env), 'without the line').to.equal('AbortError\nundefined\n');
  });
});

describe('The recipe for server-sent events', () => {
  it('goes on where the client was, and ends on SIGTERM', async () => {
    await using server = await DocumentedServer.start(recipe('server-sent-events.mjs'));
    const url = `http://127.0.0.1:${server.port}/events`;
    for (const body of ['a', 'b']) await fetch(url, { method: 'POST', body });
    const stream = await fetch(url, { headers: { 'last-event-id': '1' } });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    expect(await next()).to.equal('id: 2\ndata: "b"\n\n');
    await fetch(url, { method: 'POST', body: 'c' });
    expect(await next()).to.equal('id: 3\ndata: "c"\n\n');
    const ahead = await fetch(url, { headers: { 'last-event-id': '99' } });
    const { value } = await (ahead.body as ReadableStream<Uint8Array>).getReader().read();
    expect(new TextDecoder().decode(value), 'a cursor of a log before a restart').to.match(/^id: 1\n/);
    const ended = server.terminate();
    expect((await reader.read()).done).to.equal(true);
    expect(await ended).to.equal(0);
  });
});

describe('The recipe for readiness', () => {
  it('says no after SIGTERM, while the server still answers, and then ends', async () => {
    await using server = await DocumentedServer.start(recipe('readiness.mjs'), { GRACE_MS: '5000' });
    const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`);
    expect((await ask('/ready')).status).to.equal(200);
    const ended = server.terminate();
    await until(async () => expect((await ask('/ready')).status).to.equal(503), 'it is not ready');
    const poll = await ask('/poll');
    expect([poll.status, poll.headers.get('connection')]).to.deep.equal([200, 'close']);
    expect(await ended).to.equal(0);
  });
});

describe('The recipe for a graceful shutdown', () => {
  for (const name of ['shutdown-http.mjs', 'shutdown-fastify.mjs']) {
    it(`answers what is parked, cuts what has sent nothing, and a second SIGTERM is no sudden end: ${name}`, async () => {
      await using server = await DocumentedServer.start(sayingWhenParked(recipe(name)));
      const silent = connect(server.port, '127.0.0.1');
      const isCut = once(silent, 'close');
      silent.on('error', () => {});
      await once(silent, 'connect');
      const poll = fetch(`http://127.0.0.1:${server.port}/`);
      await until(() => server.output.includes('parked'), 'the poll is parked');
      const ended = server.terminate();
      void server.terminate();
      const response = await poll;
      expect(response.headers.get('connection')).to.equal('close');
      expect([response.status, await response.text()]).to.deep.equal([503, 'ERR_PURGATORY_CLOSED']);
      await isCut;
      expect(await ended).to.equal(0);
    });
  }
});

describe('The recipes for metrics', () => {
  it('serve what Prometheus scrapes', async () => {
    await using server = await DocumentedServer.start(recipe('prometheus.mjs'));
    const url = `http://127.0.0.1:${server.port}`;
    expect(await get(url)).to.deep.equal({ expired: true });
    const scrape = await (await fetch(`${url}/metrics`)).text();
    expect(scrape).to.contain('purgatory_expired_total{purgatory="polls"} 1\n');
  });

  it('export to OpenTelemetry', async () => {
    const output = await printed(recipe('opentelemetry.mjs'));
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
