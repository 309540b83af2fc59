import { EventEmitter, once } from 'node:events';
import * as http1 from 'node:http';
import * as http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { MessageChannel, Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { type WebSocket as ServerSocket, WebSocket, WebSocketServer } from 'ws';
import { Purgatory } from '../../../../src/index.ts';
import { closeSignal } from '../../../../src/waits/http/index.ts';
import { refuses } from '../../../support/refusals.ts';
import { rejection } from '../../../support/rejection.ts';
import { closeConnections, connected } from '../../../support/sockets.ts';

describe('closeSignal', () => {
  afterEach(closeConnections);

  it('ends the waits of a TCP connection that has gone, and leaves no listener behind', async () => {
    const { client, socket } = await connected();
    socket.resume();
    const before = socket.listenerCount('close');
    using polls = new Purgatory('polls');
    const waits = [1, 2, 3].map(() => {
      const signal = closeSignal(socket);
      return rejection(polls.waitFor(['news'], () => undefined, { timeoutMs: 60_000, signal }));
    });
    expect(socket.listenerCount('close'), 'one listener for three waits').to.equal(before + 1);
    client.destroy();
    for (const wait of waits) expect(await wait).to.have.property('name', 'AbortError');
    expect([polls.numDelayed, socket.listenerCount('close')]).to.deep.equal([0, before]);
  });

  it('is aborted from the start for a socket that was destroyed', async () => {
    const { socket } = await connected();
    socket.destroy();
    expect(closeSignal(socket).aborted, "before its 'close'").to.equal(true);
    await once(socket, 'close');
    expect(socket.listenerCount('close')).to.equal(0);
  });

  it('aborts when a WebSocket closes, and at once for one that has', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [socket] = (await accepted) as [ServerSocket];
    const signal = closeSignal(socket);
    await once(client, 'open');
    expect(signal.aborted).to.equal(false);
    client.close();
    await once(signal, 'abort');
    expect(closeSignal(socket)).to.equal(signal);
    if (client.readyState !== WebSocket.CLOSED) await once(client, 'close');
    expect([closeSignal(client).aborted, client.listenerCount('close')]).to.deep.equal([true, 0]);
    server.close();
  });

  it('aborts when a Worker ends', async () => {
    const worker = new Worker('', { eval: true });
    const signal = closeSignal(worker);
    expect(signal.aborted).to.equal(false);
    await once(signal, 'abort');
    expect(['close', 'exit'].map((event) => worker.listenerCount(event))).to.deep.equal([0, 0]);
  });

  it('is aborted from the start for a Worker that has ended', async () => {
    const ended = new Worker('', { eval: true });
    await once(ended, 'exit');
    expect(closeSignal(ended).aborted).to.equal(true);
  });

  // As the sockets of socket.io do, and the calls of gRPC.
  for (const [event, state] of [
    ['disconnect', 'disconnected'],
    ['cancelled', 'cancelled'],
  ]) {
    it(`aborts at '${event}' for what says \`${state}\`, as at 'close', and leaves no listener`, () => {
      const emitter = Object.assign(new EventEmitter(), { [state]: false });
      const signal = closeSignal(emitter);
      expect(emitter.eventNames()).to.have.members(['close', event]);
      Object.assign(emitter, { [state]: true });
      emitter.emit(event);
      expect([signal.aborted, emitter.eventNames()]).to.deep.equal([true, []]);
      const late = Object.assign(new EventEmitter(), { [state]: true });
      expect([closeSignal(late).aborted, late.eventNames()]).to.deep.equal([true, []]);
    });
  }

  it('aborts for a stream that has ended, and for a port that closes', async () => {
    const stream = new PassThrough();
    const signal = closeSignal(stream);
    stream.resume().end();
    await once(stream, 'close');
    expect([signal.aborted, stream.listenerCount('close')]).to.deep.equal([true, 0]);
    const { port1, port2 } = new MessageChannel();
    const ofPort = closeSignal(port1);
    port2.close();
    await once(ofPort, 'abort');
  });

  for (const [name, http] of Object.entries({ http1, http2 })) {
    it(`refuses a request of ${name}, which closes when its body was read, and names clientSignal`, async () => {
      const createServer = http.createServer as typeof http1.createServer;
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const asked = once(server, 'request');
      const client =
        name === 'http1'
          ? http1.request({ port, method: 'POST' }).end('body')
          : http2.connect(`http://127.0.0.1:${port}`);
      if ('request' in client) client.request({ ':method': 'POST' }).end('body');
      const [request] = (await asked) as [http1.IncomingMessage];
      const before = request.listenerCount('close');
      expect(() => closeSignal(request))
        .to.throw(TypeError, 'take clientSignal(response)')
        .with.property('code', 'ERR_INVALID_ARG_TYPE');
      expect(request.listenerCount('close')).to.equal(before);
      for (const each of [client, request.socket]) each.on('error', () => {});
      client.destroy();
      server.close();
    });
  }

  it('takes what a client gets, and is aborted for an emitter of your own that says so', () => {
    const response = Object.assign(new EventEmitter(), { method: null, complete: false });
    expect(closeSignal(response).aborted).to.equal(false);
    expect(closeSignal(Object.assign(new EventEmitter(), { destroyed: true })).aborted).to.equal(true);
    expect(closeSignal(new EventEmitter()).aborted).to.equal(false);
  });

  it('refuses what is no emitter', () => {
    for (const bad of [undefined, null, {}, 'socket', new AbortController().signal]) {
      refuses(() => closeSignal(bad as never), 'ERR_INVALID_ARG_TYPE');
    }
  });
});
