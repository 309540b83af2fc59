// The responses of Express, Fastify and Hono are these, and test/docs/recipes.test.ts has their
// clients go.
import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2ServerResponse,
  connect as openHttp2,
} from 'node:http2';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { clientSignal } from '../../../../src/waits/http/index.ts';
import { turn } from '../../../support/turns.ts';

type AnyResponse = ServerResponse | Http2ServerResponse;
type Handler = (response: AnyResponse) => void;

/** One connection, which may send requests one after the other. */
interface Client {
  send(): void;
  /** Breaks off the request that is under way. */
  leave(): void;
}

interface Kind {
  serve(handler: Handler): Server;
  connect(port: number): Client;
}

const overHttp1 = (port: number): Client => {
  const socket = connect(port).resume();
  return {
    send: () => void socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    leave: () => void socket.destroy(),
  };
};

const overHttp2 = (port: number): Client => {
  const session = openHttp2(`http://localhost:${port}`);
  return {
    send: () =>
      void session
        .request()
        .on('error', () => {})
        .resume(),
    leave: () => void session.destroy(),
  };
};

const KINDS: Readonly<Record<string, Kind>> = {
  'node:http': {
    serve: (handler) => createServer((_request, response) => handler(response)).listen(0),
    connect: overHttp1,
  },
  'node:http2': {
    serve: (handler) => createHttp2Server((_request, response) => handler(response)).listen(0),
    connect: overHttp2,
  },
};

describe('clientSignal', () => {
  for (const [name, kind] of Object.entries(KINDS)) {
    describe(`with a response of ${name}`, () => {
      const arrivals = new EventEmitter();
      let server: Server;
      let client: Client;
      let connection: Socket;

      beforeEach(async () => {
        server = kind.serve((response) => void arrivals.emit('response', response));
        await once(server, 'listening');
        const accepted = once(server, 'connection');
        client = kind.connect((server.address() as AddressInfo).port);
        [connection] = await accepted;
      });

      afterEach(async () => {
        client.leave();
        await new Promise((done) => server.close(done));
      });

      const nextResponse = async (): Promise<AnyResponse> => {
        const arrived = once(arrivals, 'response');
        client.send();
        return (await arrived)[0];
      };
      const closed = (response: AnyResponse): Promise<unknown> => once(response, 'close');

      it('aborts when the client goes before there is an answer', async () => {
        const response = await nextResponse();
        const signal = clientSignal(response);
        const end = closed(response);
        client.leave();
        expect(signal.aborted).to.equal(false);
        await end;
        expect(signal.aborted).to.equal(true);
        expect(signal.reason).to.have.property('name', 'AbortError');
      });

      it('aborts when the client goes in the middle of its answer', async () => {
        const response = await nextResponse();
        const signal = clientSignal(response);
        (response as ServerResponse).write('half');
        const end = closed(response);
        client.leave();
        await end;
        expect(signal.aborted).to.equal(true);
      });

      it('has aborted at once for a client that has gone before the call', async () => {
        const response = await nextResponse();
        const end = closed(response);
        client.leave();
        await end;
        const listeners = response.listenerCount('close');
        expect(clientSignal(response).aborted).to.equal(true);
        expect(response.listenerCount('close')).to.equal(listeners);
      });

      it('never aborts after an answer, taken before it or after it', async () => {
        const early = await nextResponse();
        const signal = clientSignal(early);
        await answered(early);
        const late = await answered(await nextResponse());
        const gone = new Promise((close) => connection.once('close', close));
        client.leave();
        await gone;
        await turn();
        expect([signal.aborted, clientSignal(late).aborted]).to.deep.equal([false, false]);
      });

      const answered = async (response: AnyResponse): Promise<AnyResponse> => {
        const end = closed(response);
        response.end('done');
        await end;
        return response;
      };

      it('has one listener a response, however often it is asked, and leaves none', async () => {
        const response = await nextResponse();
        const before = response.listenerCount('close');
        const signals = Array.from({ length: 20 }, () => clientSignal(response));
        expect(new Set(signals).size).to.equal(1);
        expect(response.listenerCount('close')).to.equal(before + 1);
        await answered(response);
        expect(response.listenerCount('close')).to.be.at.most(before);
      });

      it('puts nothing on the connection, which carries a hundred responses', async () => {
        const listeners = async (): Promise<number> => {
          const response = await nextResponse();
          const connection = response.req.socket;
          clientSignal(response);
          await answered(response);
          return connection.listenerCount('close');
        };
        const first = await listeners();
        for (let n = 0; n < 98; n++) await listeners();
        expect(await listeners()).to.equal(first);
      });
    });
  }

  it('refuses what is no response, before it has put a listener on it', () => {
    const request = Object.assign(new EventEmitter(), { complete: true });
    for (const wrong of [undefined, null, {}, { raw: {} }, request]) {
      expect(() => clientSignal(wrong as never))
        .to.throw(TypeError, /"response" argument must be a ServerResponse.*reply\.raw/)
        .with.property('code', 'ERR_INVALID_ARG_TYPE');
    }
    expect(request.listenerCount('close')).to.equal(0);
  });
});
