import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openFolder } from '../../examples/job-status/folder-store.ts';
import type { Job } from '../../examples/job-status/jobs.ts';
import { JobServer } from '../../examples/job-status/server.ts';
import { engines, startPostgres } from '../support/engines.ts';
import { type ExampleServer, refusalOf, startExample } from '../support/example-server.ts';
import { itWith } from '../support/needs.ts';
import { until } from '../support/turns.ts';

interface Answer {
  readonly status: number;
  readonly worker: string | null;
  readonly body: Job & { error: string };
}

async function ask(base: string, path: string, method = 'GET'): Promise<Answer> {
  // A connection each, so that workers take turns.
  const response = await fetch(`${base}${path}`, { method, headers: { connection: 'close' } });
  return {
    status: response.status,
    worker: response.headers.get('x-worker'),
    body: (await response.json()) as Answer['body'],
  };
}

describe('examples/job-status', () => {
  let folder: string;
  let server: JobServer;
  let base: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'purgatory-jobs-'));
    server = new JobServer({ store: await openFolder(folder) });
    base = `http://127.0.0.1:${await server.listen(0)}`;
  });

  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('answers who waits once the job is done', async () => {
    const { status, body } = await ask(base, '/jobs?seconds=0.2', 'POST');
    expect([status, body.state, body.version]).to.deep.equal([201, 'running', 1]);
    const done = await Promise.all([1, 2, 3].map(() => ask(base, `/jobs/${body.id}`)));
    for (const answer of done) {
      expect(answer).to.deep.include({
        status: 200,
        body: { id: body.id, state: 'done', progress: 100, version: 11 },
      });
    }
    expect(server.waits.numDelayed).to.equal(0);
  });

  it('answers at the deadline with the job as it is, and at once where it is not to wait', async () => {
    const { body } = await ask(base, '/jobs?seconds=3600', 'POST');
    expect(await ask(base, `/jobs/${body.id}?wait=0`)).to.deep.include({ status: 202, body });
    await until(async () => {
      // What could not be read by the deadline is unknown.
      expect(await ask(base, `/jobs/${body.id}?wait=200`)).to.deep.include({ status: 202, body });
      return true;
    });
  });

  it('answers at once with what is there, and waits for a version that was asked for', async () => {
    const { body: slow } = await ask(base, '/jobs?seconds=3600', 'POST');
    const now = await ask(base, `/jobs/${slow.id}?state=any`);
    expect([now.status, now.body.state]).to.deep.equal([200, 'running']);
    const { body: quick } = await ask(base, '/jobs?seconds=1', 'POST');
    const later = await ask(base, `/jobs/${quick.id}?state=any&version=3`);
    expect(later.body.version).to.be.at.least(3);
  });

  it('waits for a version of a job that it cannot read yet, as behind a replica', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const waiting = ask(base, `/jobs/${id}?state=any&version=2`);
    await until(() => server.waits.numDelayed > 0);
    const store = await openFolder(folder);
    await store.write({ id, state: 'running', progress: 10, version: 2 });
    server.waits.changed(id);
    expect((await waiting).body.version).to.equal(2);
  });

  it('says what is wrong with a bad request, and that a job is not there', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await ask(base, `/jobs/${unknown}`)).status).to.equal(404);
    expect((await ask(base, '/jobs/..%2Fetc')).status).to.equal(404);
    expect((await ask(base, '/elsewhere')).status).to.equal(404);
    expect((await ask(base, '//')).status).to.equal(400);
    expect((await ask(base, '/jobs?seconds=-1', 'POST')).body.error).to.equal(
      'seconds must be a number from 0 to 3600',
    );
  });

  it('answers who waits with 503 when it stops', async () => {
    const { body } = await ask(base, '/jobs?seconds=100', 'POST');
    const waiting = ask(base, `/jobs/${body.id}`);
    await until(() => server.waits.numDelayed > 0);
    await server.close();
    expect((await waiting).status).to.equal(503);
  });
});

/**
 * Jobs are posted to one worker and awaited on all: each is answered when it is done, not at its
 * deadline.
 */
async function expectAnswersFromAll(base: string, workers: number): Promise<void> {
  const { body, worker } = await ask(base, '/jobs?seconds=1', 'POST');
  const answers = await Promise.all(Array.from({ length: 4 * workers }, () => ask(base, `/jobs/${body.id}`)));
  expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
  expect(answers.map((answer) => answer.body.state)).to.deep.equal(answers.map(() => 'done'));
  expect(new Set(answers.map((answer) => answer.worker)).size).to.equal(workers);
  expect(worker).to.match(/^\d$/);
}

describe('examples/job-status with workers', () => {
  let folder: string;
  let server: ExampleServer | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'purgatory-jobs-'));
  });

  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await rm(folder, { recursive: true });
  });

  it('answers on every worker, with a folder and the relay of the primary', async () => {
    server = await startExample('job-status', ['0', '--workers', '3'], { TMPDIR: folder });
    await expectAnswersFromAll(server.url, 3);
    expect(await server.stop()).to.equal(0);
  });

  itWith(engines.postgres, 'answers on every worker, with a table and the bus of Postgres', async () => {
    const engine = await startPostgres();
    try {
      const bus = `postgres://postgres@127.0.0.1:${engine.port}/postgres`;
      server = await startExample('job-status', ['0', '--workers', '3', '--bus', bus]);
      await expectAnswersFromAll(server.url, 3);
      expect(await server.stop()).to.equal(0);
    } finally {
      await engine.stop();
    }
  });

  it('says in a sentence why it cannot start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const refused = (...args: string[]) => refusalOf('job-status', ...args);
    const refusals = await Promise.all([
      refused(`${port}`),
      refused(`${port}`, '--workers', '2'),
      refused('--workers', 'many'),
      refused('--worker', '2'),
      refused('--bus', 'amqp://localhost'),
      ...['redis', 'nats'].map((engine) => refused('0', '--bus', `${engine}://127.0.0.1:1`)),
    ]);
    taken.close();
    expect(refusals.map(({ code }) => code)).to.deep.equal(refusals.map(() => 1));
    const inUse = `Port ${port} is in use: give another one.`;
    const [one, primary, workers, misspelt, scheme, redis, nats] = refusals.map(({ text }) => text);
    expect([one, primary]).to.deep.equal([inUse, inUse]);
    expect(workers).to.equal('--workers must be a whole number from 0 to 64, and not "many".');
    expect(misspelt).to.match(/^Unknown option '--worker'/);
    expect(scheme).to.match(/^--bus must be one of redis:\/\/\.\.\., .*, and not "amqp:\/\/localhost"\.$/);
    expect(redis).to.equal('redis://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1');
    expect(nats).to.equal('nats://127.0.0.1:1 cannot be reached: connection refused');
  });
});
