// The chat as several processes: a post to any of them wakes the polls of all.

import { expect } from 'chai';
import {
  type Engine,
  engines,
  SECOND_TRY,
  startNats,
  startPostgres,
  startRedis,
} from '../support/engines.ts';
import { type ExampleServer, startExample } from '../support/example-server.ts';
import { fullRun, itWith } from '../support/needs.ts';
import { pause } from '../support/turns.ts';

const WORKERS = 3;

interface Answer {
  readonly status: number;
  readonly worker: string | null;
  readonly texts: string[];
  readonly next: number;
}

/** A connection each, so that workers take turns. */
const ONE = { headers: { connection: 'close' } };

async function poll(base: string, query: string): Promise<Answer> {
  const response = await fetch(`${base}/messages?${query}`, ONE);
  const { messages = [], next } = (await response.json()) as { messages?: { text: string }[]; next: number };
  return {
    status: response.status,
    worker: response.headers.get('x-worker'),
    texts: messages.map(({ text }) => text),
    next,
  };
}

async function post(base: string, room: string, text: string): Promise<number> {
  const body = JSON.stringify({ room, author: 'ada', text });
  const response = await fetch(`${base}/messages`, { ...ONE, method: 'POST', body });
  const { id } = (await response.json()) as { id: number };
  expect(response.status).to.equal(201);
  return id;
}

/**
 * Polls of two rooms on every worker; a post to each room, by whichever worker, answers them long
 * before their deadline.
 */
async function expectWakesAll(base: string): Promise<void> {
  const first = await post(base, 'lobby', 'before');
  const polls = Array.from({ length: 4 * WORKERS }, () =>
    poll(base, `room=lobby&room=engine&min=2&after=${first}&wait=60000`),
  );
  await pause(300); // most of them are parked by then; one that comes later is answered all the same
  await post(base, 'lobby', 'one');
  await post(base, 'elsewhere', 'not read');
  const last = await post(base, 'engine', 'two');
  const answers = await Promise.all(polls);
  for (const { status, texts, next } of answers) {
    expect([status, texts, next]).to.deep.equal([200, ['one', 'two'], last]);
  }
  expect(new Set(answers.map(({ worker }) => worker)).size).to.equal(WORKERS);
}

describe('examples/long-poll-http with workers', () => {
  let server: ExampleServer | undefined;
  let engine: Engine | undefined;

  afterEach(async () => {
    await server?.stop();
    await engine?.stop();
    server = undefined;
    engine = undefined;
  });

  const start = async (...bus: string[]): Promise<ExampleServer> => {
    server = await startExample('long-poll-http', ['0', '--workers', `${WORKERS}`, ...bus]);
    return server;
  };

  it('wakes the polls of all by the relay of the primary, which keeps the messages', async () => {
    const { url, stop } = await start();
    await expectWakesAll(url);
    expect(await stop()).to.equal(0);
  });

  it('starts a worker again that dies, which reads what was posted meanwhile', async () => {
    const { url, printed } = await start();
    const [, pid] = await printed(/^worker 1 is process (\d+)$/);
    process.kill(Number(pid), 'SIGKILL');
    await printed(/^worker 1 has died of SIGKILL$/);
    await post(url, 'lobby', 'meanwhile');
    await printed(/^worker 1 is back, process \d+$/);
    await expectWakesAll(url);
    const answers = await Promise.all(
      Array.from({ length: WORKERS }, () => poll(url, 'room=lobby&after=0&min=1')),
    );
    for (const { texts } of answers) expect(texts[0]).to.equal('meanwhile');
  });

  itWith(engines.postgres, 'wakes the polls of all by PostgreSQL, with the messages in a table', async () => {
    engine = await startPostgres();
    const { url } = await start('--bus', `postgres://postgres@127.0.0.1:${engine.port}/postgres`);
    await expectWakesAll(url);
  });

  itWith(
    [fullRun, engines.nats],
    'wakes the polls of all by NATS, with the messages in the primary',
    async () => {
      engine = await startNats();
      const { url } = await start('--bus', `nats://127.0.0.1:${engine.port}`);
      await expectWakesAll(url);
    },
  );

  itWith(
    engines.redis,
    'keeps polls parked while Redis is gone, with the messages in a stream, and answers them when it is back',
    async () => {
      engine = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
      const { url } = await start('--bus', `redis://127.0.0.1:${engine.port}`);
      const seen = await post(url, 'lobby', 'before');
      const polls = Array.from({ length: 2 * WORKERS }, () =>
        poll(url, `room=lobby&after=${seen}&wait=60000`),
      );
      await pause(300); // as above
      await engine.kill();
      await pause(500); // that is the outage
      await engine.start();
      await post(url, 'lobby', 'after');
      for (const { texts } of await Promise.all(polls)) expect(texts).to.deep.equal(['after']);
    },
  ).retries(SECOND_TRY);
});
