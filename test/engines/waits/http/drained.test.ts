import { getEventListeners, once } from 'node:events';
import * as http1 from 'node:http';
import * as http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { expect } from 'chai';
import { drained } from '../../../../src/waits/http/index.ts';
import { rejects } from '../../../support/refusals.ts';
import { codeOfRejection, rejection } from '../../../support/rejection.ts';

const LARGE = Buffer.alloc(16 * 1024 * 1024);
/** Resolves with what the response of a server said that has written LARGE, of which nobody reads. */
type Served = (response: http1.ServerResponse | http2.Http2ServerResponse) => Promise<unknown>;

describe('drained', () => {
  it('resolves at once for a stream that takes more, and else when it does, leaving no listener', async () => {
    const stream = new PassThrough();
    expect(await drained(stream)).to.deep.equal({ expired: false });
    expect(stream.write(LARGE)).to.equal(false);
    const stop = new AbortController();
    const wait = drained(stream, { timeoutMs: 60_000, signal: stop.signal });
    stream.resume();
    expect(await wait).to.deep.equal({ expired: false });
    expect([stream.listenerCount('drain'), stream.listenerCount('close')]).to.deep.equal([0, 0]);
    expect(getEventListeners(stop.signal, 'abort')).to.deep.equal([]);
  });

  it('resolves with expired at its deadline, and rejects on abort with the reason', async () => {
    const stream = new PassThrough();
    stream.write(LARGE);
    const stop = new AbortController();
    const aborted = rejection(drained(stream, { signal: stop.signal }));
    expect(await drained(stream, { timeoutMs: 5 })).to.deep.equal({ expired: true });
    stop.abort('gone');
    expect(await aborted).to.equal('gone');
    expect([stream.listenerCount('drain'), stream.listenerCount('close')]).to.deep.equal([0, 0]);
  });

  it('rejects when its stream closes, or has, or was ended: with its error, if it has one', async () => {
    const failed = new Error('failed');
    const stuck = new Writable({ write: () => {}, highWaterMark: 1 });
    stuck.on('error', () => {});
    stuck.write('x');
    const wait = rejection(drained(stuck));
    stuck.destroy(failed);
    expect(await wait).to.equal(failed);
    expect(await rejection(drained(stuck))).to.equal(failed);
    for (const autoDestroy of [true, false]) {
      const failing = new Writable({ write: (_chunk, _encoding, done) => done(failed), autoDestroy });
      failing.on('error', () => {});
      failing.write('x'); // it fails in the call, and is destroyed in a later turn, if at all
      expect(await rejection(drained(failing))).to.equal(failed);
    }
    const closed = new PassThrough();
    closed.write(LARGE);
    const premature = codeOfRejection(drained(closed));
    closed.destroy();
    expect(await premature).to.equal('ERR_STREAM_PREMATURE_CLOSE');
    const ended = new PassThrough().end(LARGE);
    expect(await codeOfRejection(drained(ended))).to.equal('ERR_STREAM_PREMATURE_CLOSE');
  });

  for (const [name, http] of Object.entries({ http1, http2 })) {
    it(`waits for a client of ${name} that does not read, until that has gone`, async () => {
      let answer: (outcome: unknown) => void = () => {};
      const outcome = new Promise((resolve) => {
        answer = resolve;
      });
      const served: Served = async (response) => {
        (response as http1.ServerResponse).write(LARGE);
        const { expired } = await drained(response, { timeoutMs: 20 });
        // Bun says 'drain' before the end of a client of HTTP/2.
        const gone = rejection(drained(response).then(() => drained(response)));
        if (expired) client.destroy();
        return [await gone, await rejection(drained(response))];
      };
      const createServer = http.createServer as typeof http1.createServer;
      const server = createServer((_request, response) => void served(response).then(answer, answer));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const client = open(name, port);
      try {
        // A runtime may have an error for it: ECANCELED.
        for (const error of (await outcome) as unknown[]) {
          expect(error).to.have.property('code').that.is.oneOf(['ERR_STREAM_PREMATURE_CLOSE', 'ECANCELED']);
        }
      } finally {
        client.destroy();
        server.close();
      }
    });
  }

  it('refuses what is no writable stream', async () => {
    for (const bad of [undefined, null, 7, {}, { stream: {} }]) {
      await rejects(drained(bad as never), 'ERR_INVALID_ARG_TYPE');
    }
    await rejects(drained(new PassThrough(), { timeoutMs: '5' as never }), 'ERR_INVALID_ARG_TYPE');
  });
});

/** A client that asks, and reads nothing. */
function open(name: string, port: number): { destroy(): unknown } {
  if (name === 'http1') return http1.get({ port, host: '127.0.0.1' }, () => {}).on('error', () => {});
  const session = http2.connect(`http://127.0.0.1:${port}`);
  session.request({ ':path': '/' }).on('error', () => {});
  return session;
}
