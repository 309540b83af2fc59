// Servers of the user that have an inspector mounted.
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Purgatory } from '../../../src/index.ts';
import type { Inspector } from '../../../src/observe/inspector/index.ts';
import type { Op } from '../../support/op.ts';

/** A purgatory that counts how often it is looked at. */
export class Counted extends Purgatory<string, Op> {
  looks = 0;
  override snapshot(options?: { top?: number }): ReturnType<Purgatory['snapshot']> {
    this.looks++;
    return super.snapshot(options);
  }
}

/** A server on loopback. */
export async function serve(listener: RequestListener): Promise<{ at(path: string): URL } & AsyncDisposable> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    at: (path) => new URL(path, `http://127.0.0.1:${port}`),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export interface Mounted extends AsyncDisposable {
  at(path: string): URL;
  /** Of all requests so far. */
  readonly responses: ServerResponse[];
  /** How many streams of frames are open. */
  streams(): number;
}

/** A server that has an inspector, and says `mine` to what is not for it. */
export async function mount(inspector: Inspector): Promise<Mounted> {
  const responses: ServerResponse[] = [];
  const server = await serve((asked, response) => {
    responses.push(response);
    if (!inspector.handle(asked, response)) response.end('mine');
  });
  return {
    at: server.at,
    responses,
    streams: () => responses.filter(({ req, closed }) => req.url === '/events' && !closed).length,
    async [Symbol.asyncDispose]() {
      await inspector.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
