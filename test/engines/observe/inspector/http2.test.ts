// The inspector mounted in servers of HTTP/1.1 and HTTP/2: under which names it answers, who reads
// slowly, and who has gone before he is answered.

import { once } from 'node:events';
import { request } from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Frame } from '../../../../src/observe/inspector/frame.ts';
import { type Inspector, inspectorOn } from '../../../../src/observe/inspector/inspector.ts';
import { FakeHost } from '../../../observe/inspector/fake-host.ts';
import { Counted, serve } from '../../../observe/inspector/mount.ts';
import { Op } from '../../../support/op.ts';
import { until } from '../../../support/turns.ts';

describe('the inspector in a server', () => {
  let host: FakeHost;
  let fetches: Counted;
  let inspector: Inspector;
  const closing: (() => unknown)[] = [];

  beforeEach(() => {
    host = new FakeHost(0);
    fetches = new Counted('fetch');
    for (let n = 0; n < 100; n++) fetches.tryCompleteElseWatch(new Op(''), [`orders-${n}`]);
    inspector = inspectorOn(host, { purgatories: [fetches], hosts: ['ops.example.com'], history: false });
  });

  afterEach(async () => {
    await inspector.close();
    for (const close of closing.splice(0)) close();
    fetches.close();
  });

  async function http2(
    handle: (request: Http2ServerRequest, response: Http2ServerResponse) => unknown,
  ): Promise<ClientHttp2Session> {
    const server = createHttp2Server((asked, response) => void handle(asked, response)).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    closing.push(
      () => session.destroy(),
      () => server.close(),
    );
    return session;
  }

  async function ask(stream: ClientHttp2Stream): Promise<[IncomingHttpHeaders, string]> {
    const [headers] = await once(stream, 'response');
    let body = '';
    for await (const chunk of stream.setEncoding('utf8')) body += chunk;
    return [headers, body];
  }

  it('answers over HTTP/2 under the names that it knows, and refuses others', async () => {
    const session = await http2((asked, response) => inspector.handle(asked, response));
    const at = (path: string, more: Record<string, string> = {}) =>
      ask(session.request({ ':path': path, ...more }));
    const [page, html] = await at('/', { 'accept-encoding': 'identity' });
    expect([page[':status'], html.includes('<title>Purgatory inspector</title>')]).to.deep.equal([200, true]);
    expect((await at('/history', { ':authority': 'ops.example.com:443' }))[0][':status']).to.equal(200);
    const [refused, why] = await at('/', { ':authority': 'evil.example' });
    expect(refused[':status']).to.equal(403);
    expect(why).to.include('does not answer to the name "evil.example"');
    expect((await at('/', { ':method': 'POST' }))[0][':status']).to.equal(405);
  });

  it('sends frames over HTTP/2, and keeps none for a reader who stalls', async () => {
    const responses: Http2ServerResponse[] = [];
    const session = await http2((asked, response) => {
      responses.push(response);
      inspector.handle(asked, response);
    });
    const stalled = session.request({ ':path': '/events' });
    await once(stalled, 'response');
    const reading = session.request({ ':path': '/events' });
    await once(reading, 'response');
    let text = '';
    reading.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    let sent = 0;
    await until(async () => {
      const before = text.length;
      await host.advance(250);
      await until(() => text.length > before && text.endsWith('\n\n'), 'a frame arrives');
      sent = text.length;
      return sent > 400_000;
    }, '400 kB were sent');
    const [first] = responses;
    // The host holds as much as its own mark allows: 64 kB from Node 22 on.
    expect(first.stream.writableLength).to.be.below(first.stream.writableHighWaterMark + sent / 10);
    const frame: Frame = JSON.parse(text.slice(text.lastIndexOf('data: ') + 6));
    expect(frame.purgatories[0].parked).to.equal(100);
  });

  it('stops to look when the last viewer over HTTP/2 has gone', async () => {
    const session = await http2((asked, response) => inspector.handle(asked, response));
    const stream = session.request({ ':path': '/events' });
    await once(stream, 'data');
    stream.resume().close();
    await until(async () => {
      const { looks } = fetches;
      await host.advance(3000);
      return fetches.looks === looks;
    }, 'nobody looks');
  });

  it('looks at nothing for a viewer who has gone during a login', async () => {
    let arrived = 0;
    let handled = 0;
    const login = async (
      asked: object,
      response: object & { once(name: 'close', then: () => void): void },
    ) => {
      arrived++;
      await new Promise<void>((resolve) => response.once('close', resolve));
      expect(inspector.handle(asked as never, response as never)).to.equal(true);
      handled++;
    };
    await using server = await serve((asked, response) => void login(asked, response));
    const session = await http2(login);
    const leaving = [
      request(server.at('/events'), { agent: false }).end(),
      session.request({ ':path': '/events' }),
    ];
    for (const each of leaving) each.on('error', () => {});
    await until(() => arrived === 2, 'both have come');
    leaving[0].destroy();
    await until(() => handled === 1, 'the first has gone');
    (leaving[1] as ClientHttp2Stream).close();
    await until(() => handled === 2, 'the second has gone');
    await host.advance(3000);
    expect(fetches.looks).to.equal(0);
  });
});
