import { once } from 'node:events';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Purgatory, SystemTimer } from '../../../../src/index.ts';
import type { History } from '../../../../src/observe/inspector/frame.ts';
import { createInspector } from '../../../../src/observe/inspector/index.ts';
import { type Inspector, inspectorOn } from '../../../../src/observe/inspector/inspector.ts';
import { FakeHost } from '../../../observe/inspector/fake-host.ts';
import { Counted, mount } from '../../../observe/inspector/mount.ts';
import { ok, runChild, runNode, summary } from '../../../support/child.ts';
import { freePort } from '../../../support/free-ports.ts';
import { Op } from '../../../support/op.ts';
import { rejection } from '../../../support/rejection.ts';
import { until } from '../../../support/turns.ts';
import { Watcher } from './stream.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
}

async function ask(url: URL, method = 'GET', headers: Record<string, string> = {}): Promise<Answer> {
  const asked = request(url, { method, headers, agent: false }).end();
  const [response] = await once(asked, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

describe('createInspector', () => {
  let host: FakeHost;
  let inspector: Inspector;
  let timer: SystemTimer;
  let fetches: Counted;

  beforeEach(() => {
    host = new FakeHost(0);
    timer = new SystemTimer({ clock: host.clock, wheelSize: 16 });
    fetches = new Counted('fetch', { timer });
    inspector = inspectorOn(host, { purgatories: [fetches], timers: [timer], history: false });
  });

  afterEach(() => inspector.close());

  const history = async (url: URL): Promise<History> =>
    JSON.parse((await ask(new URL('history', url))).body.toString());

  it('stops listening at the end of a block that uses it', async () => {
    let url: string;
    {
      await using own = createInspector({ purgatories: [fetches], history: false });
      url = `${await own.listen({ port: undefined })}`; // as left out
      expect((await fetch(url)).status).to.equal(200);
    }
    await rejection(fetch(url));
  });

  it('refuses what it cannot show, and a bad path or port, by name', async () => {
    for (const [options, ...said] of [
      [null, 'The "options" argument must be'],
      ...[
        [fetches, 'an instance of Counted'],
        [timer, 'an instance of SystemTimer'],
        [[fetches], 'an instance of Array'],
        [() => [fetches], 'function '],
        [new Map(), 'an instance of Map'],
      ].map(([bare, received]) => [
        bare,
        `The "options" argument must be an object of sources, such as { purgatories: [orders] }. Received ${received}`,
      ]),
      [{ purgatories: fetches }, '"options.purgatories" property must be an array or a Set of purgatories'],
      ...['purgatories', 'timers', 'buses'].map((kind) => [
        { [kind]: new Map() },
        `The "options.${kind}" property must be an array`,
        'or a function that returns one. Received an instance of Map',
      ]),
      [{ purgatories: [fetches, 7] }, '"options.purgatories[1]" property'],
      [{ timers: [null] }, '"options.timers[0]" property'],
      [{ timers: 7 }, '"options.timers" property'],
      [
        { timers: timer },
        'must be an array of timers, an object of them by name, or a function that returns one. Received an',
      ],
      [{ hosts: 'a.example' }, '"options.hosts" property'],
      [{ hosts: [7] }, 'of strings'],
      [{ hosts: ['https://a.example'] }, "Received 'https://a.example'"],
      [{ history: 1 }, '"options.history" property'],
      [{ path: 1 }, 'Received type number (1)'],
      [{ path: 'a/' }, "Received 'a/'"],
      [{ purgatory: [] }, 'is no option (is "purgatories" meant?). Received'],
    ] as [unknown, ...string[]][]) {
      for (const part of said)
        expect(() => createInspector(options as never), part)
          .to.throw(TypeError, part)
          .with.property('code')
          .that.matches(/^ERR_INVALID_ARG_/);
    }
    const elsewhere = await rejection(inspector.listen({ host: '0.0.0.0' } as never));
    expect(elsewhere).to.have.property('code', 'ERR_INVALID_ARG_VALUE');
    expect(String(elsewhere)).to.contain('it listens on loopback only');
    const error = await rejection(inspector.listen({ port: 70_000 }));
    expect(error).to.be.instanceOf(RangeError).with.property('code', 'ERR_OUT_OF_RANGE');
  });

  it('serves one page, zipped for who takes it, under a policy that names its only script and style', async () => {
    const url = await inspector.listen();
    const zipped = await ask(url, 'GET', { 'accept-encoding': 'gzip, br' });
    const plain = await ask(url);
    expect([plain.status, plain.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(zipped.headers['content-encoding']).to.equal('gzip');
    expect(gunzipSync(zipped.body)).to.deep.equal(plain.body);
    expect(zipped.body.length).to.be.below(30_000);
    const refusing = await ask(url, 'GET', { 'accept-encoding': 'gzip;q=0, br' });
    expect(refusing.headers['content-encoding']).to.equal(undefined);
    const weighing = await ask(url, 'GET', { 'accept-encoding': 'br, gzip;q=0.5' });
    expect(weighing.headers['content-encoding']).to.equal('gzip');
    const policy = String(plain.headers['content-security-policy']);
    expect(policy).to.match(
      /^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; connect-src 'self';/,
    );
    expect(policy).not.to.include('unsafe');
    const html = plain.body.toString();
    expect(html.match(/<script|<style|<link/g)).to.deep.equal(['<link', '<style', '<script']);
    expect(html).not.to.match(/(src|href)="(?!data:)/);
    const head = await ask(url, 'HEAD');
    expect([head.status, head.body.length]).to.deep.equal([200, 0]);
    expect((await ask(new URL('events', url), 'HEAD')).headers['content-type']).to.equal('text/event-stream');
  });

  it('lets no page of another origin read what it answers, the stream of frames included', async () => {
    const url = await inspector.listen();
    await using watcher = await Watcher.open(url);
    const heads = ['', 'history', 'keys?text=a', 'operation?id=1', 'events'].map((path) =>
      ask(new URL(path, url), 'HEAD'),
    );
    const answered = [watcher.response, ...(await Promise.all(heads)), await ask(new URL('nothing', url))];
    expect(answered.map(({ headers }) => headers['cross-origin-resource-policy'])).to.deep.equal(
      answered.map(() => 'same-origin'),
    );
  });

  it('is read-only, has one page, and listens on loopback for loopback names', async () => {
    const url = await inspector.listen();
    expect(url.hostname).to.equal('127.0.0.1');
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers } = await ask(url, method);
      expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD']);
    }
    expect((await ask(new URL('/etc/passwd', url))).status).to.equal(404);
    expect((await ask(new URL('/?theme=1', url))).status).to.equal(200);
    expect((await ask(url, 'GET', { host: 'rebound.example' })).status).to.equal(403);
    expect((await ask(url, 'GET', { host: `localhost:${url.port}` })).status).to.equal(200);
    expect((await ask(url, 'GET', { host: `[::1]:${url.port}` })).status).to.equal(200);
    expect(fetches.looks).to.equal(0);
  });

  it('answers in a server of the user, where it is mounted, leads there without the last slash, and leaves the rest', async () => {
    inspector = createInspector({ purgatories: [fetches], path: '/ops/inspector/' });
    await using server = await mount(inspector);
    const { at } = server;
    for (const path of ['/', '/ops/inspector-other'])
      expect((await ask(at(path))).body.toString()).to.equal('mine');
    const answer = await ask(at('/ops/inspector?a=b'));
    expect([answer.status, answer.headers.location]).to.deep.equal([308, './inspector/?a=b']);
    const page = await fetch(at('/ops/inspector'));
    expect([page.status, page.url]).to.deep.equal([200, at('/ops/inspector/').href]);
    expect(await page.text()).to.include('<title>');
    expect((await ask(at('/ops/inspector'), 'POST')).status).to.equal(405);
    expect((await ask(at('/ops/inspector'), 'GET', { host: 'rebound.example' })).status).to.equal(403);
    const watcher = await Watcher.open(at('/ops/inspector/'));
    expect((await watcher.next()).purgatories[0].name).to.equal('fetch');
    await inspector.close();
    await once(watcher.response, 'close');
  });

  it('answers to loopback names, addresses and the names that it is told, mounted or not, and refuses others', async () => {
    const asked = async (hosts: readonly string[] | 'any' | undefined, host: string) => {
      const mounted = createInspector({ hosts, history: false });
      await using server = await mount(mounted);
      const { status, body } = await ask(server.at('/'), 'GET', { host });
      return status === 200 ? 200 : `${status} ${body}`;
    };
    const refused =
      '403 The inspector does not answer to the name "rebound.example". If it is one of your names';
    expect(await asked(undefined, 'rebound.example')).to.include(refused);
    for (const host of ['127.0.0.1:80', '10.0.0.7', '[fe80::1]:8080', 'localhost:1', 'app.localhost']) {
      expect(await asked(undefined, host), host).to.equal(200);
    }
    for (const host of ['10.0.0.7.rebound.example', 'localhost.rebound.example', '[x]', 'a:b:c']) {
      expect(await asked(['ops.example'], host), host).to.match(/^403/);
    }
    expect(await asked(['Ops.example'], 'oPs.EXAMPLE:443')).to.equal(200);
    expect(await asked('any', 'rebound.example')).to.equal(200);
  });

  it('keeps a history of seconds while nobody watches, for a page that comes after an incident', async () => {
    inspector = inspectorOn(host, { purgatories: [fetches], timers: [timer] });
    const url = await inspector.listen({ port: await freePort() });
    fetches.tryCompleteElseWatch(new Op('a', { delayMs: 60_000 }), ['a']);
    await host.advance(2_000);
    const { run, seconds } = await history(url);
    expect(seconds.map(({ number, purgatories }) => [number, purgatories.fetch.parked])).to.deep.equal([
      [1, 1],
      [2, 1],
    ]);
    await using watcher = await Watcher.open(url);
    expect((await watcher.next()).run).to.equal(run);
    await inspector.close();
    await inspector.listen({ port: Number(url.port) });
    await host.advance(1_000);
    expect((await history(url)).seconds, 'it goes on').to.have.length(3);
  });

  it('keeps no history when that is not wanted', async () => {
    const url = await inspector.listen();
    await host.advance(2_000);
    expect(fetches.looks).to.equal(0);
    expect((await history(url)).seconds).to.deep.equal([]);
    expect((await ask(new URL('history', url), 'HEAD')).body.length).to.equal(0);
  });

  it('makes one frame for all watchers, four a second, and none while nobody watches', async () => {
    const url = await inspector.listen();
    await ask(url);
    expect(fetches.looks).to.equal(0);
    const first = await Watcher.open(url);
    const second = await Watcher.open(url);
    const { run, wallMs } = await first.next();
    const { looks } = fetches;
    await host.advance(500);
    for (const later of [250, 500]) {
      const frame = await first.next();
      expect([frame.run, frame.wallMs - wallMs]).to.deep.equal([run, later]);
      expect(await second.next()).to.deep.equal(frame);
    }
    expect(fetches.looks).to.equal(looks + 2);
    for (const each of [first, second]) await each[Symbol.asyncDispose]();
    await until(async () => {
      const { looks } = fetches;
      await host.advance(2_000);
      return fetches.looks === looks;
    }, 'the server has seen that they are gone');
    const before = fetches.looks;
    await using again = await Watcher.open(url);
    await again.next();
    expect(fetches.looks).to.equal(before + 2); // what the first second begins with, and the frame
  });

  it('shares no port with another worker of a cluster, whose answers would mix with its own', async () => {
    const port = await freePort();
    expect(summary(await runChild('inspector-workers', [`${port}`]))).to.deep.equal(ok('EADDRINUSE'));
  });

  it('skips frames for who does not read, without keeping them, and sends on to the others', async () => {
    for (let n = 0; n < 8; n++) fetches.tryCompleteElseWatch(new Op(`${n}`), [`${n}`.padEnd(80, 'x')]);
    const many = Array.from({ length: 500 }, () => ({ name: 'fetch', snapshot: () => fetches.snapshot() }));
    inspector = createInspector({ purgatories: many, history: false });
    await using server = await mount(inspector);
    await using stuck = await Watcher.open(server.at('/'));
    stuck.response.pause();
    await using reader = await Watcher.open(server.at('/'));
    const size = JSON.stringify(await reader.next()).length;
    // The sockets of both sides hold some frames. The server holds at most one frame that has no
    // place there.
    const [answer] = server.responses;
    while (!answer.writableNeedDrain) await reader.next();
    for (let n = 0; n < 3; n++) await reader.next();
    expect(answer.writableLength).to.be.below(1.5 * size);
  });

  it('tells a wheel of 65,536 buckets in a few hundred bytes, and an operation of a hundred keys in a line', async () => {
    const wide = new SystemTimer({ clock: host.clock, wheelSize: 65_536 });
    const many = new Purgatory<string, Op>('many', { timer: wide });
    const keys = Array.from({ length: 100 }, (_, n) => `${n}-`.padEnd(500, 'k'));
    for (let n = 0; n < 200; n++) many.tryCompleteElseWatch(new Op('', { delayMs: 1 + n * 100_000 }), keys);
    inspector = createInspector({ purgatories: [many], timers: [wide] });
    await using watcher = await Watcher.open(await inspector.listen());
    const frame = await watcher.next();
    expect(frame.timers[0].wheelSize).to.equal(65_536);
    expect(frame.timers[0]).to.include({ pending: 200 });
    expect(JSON.stringify(frame).length).to.be.below(12_000);
    many.close();
    wide.close();
  });

  it('keeps no process alive, even while somebody watches', async () => {
    const script = `
      import { get } from 'node:http';
      import { Purgatory } from 'purgatory';
      import { createInspector } from 'purgatory/inspector';
      const url = await createInspector({ purgatories: [new Purgatory('fetch')] }).listen();
      get(new URL('events', url), (response) => {
        response.once('data', () => {
          response.socket.unref();
          console.log('watches');
        });
      });`;
    const ended = await runNode(['--input-type=module', '-e', script]);
    expect(ended).to.deep.equal({ code: 0, signal: null, stdout: 'watches\n', stderr: '' });
  });
});
