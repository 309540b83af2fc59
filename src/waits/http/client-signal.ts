/// <reference types="node" preserve="true" />
// The signal of a client that may go before it has its answer.
//
// Invariants. A response has one signal and at most one listener of ours, which its 'close'
// removes. A response that has closed gets no listener. The connection, which others share, gets
// none.
import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { invalidArgType } from '../../base/node-errors.ts';

const signals = new WeakMap<object, AbortSignal>();

/**
 * A signal that aborts when the client goes before `response` is finished. If the client went
 * before the call, for instance while a middleware waited, the signal is aborted from the start.
 * Once the answer has gone out, the signal never aborts. All calls for a response return the same
 * signal.
 *
 * `response` is that of `node:http`, of `node:http2` (the compatibility API) or of Express; with
 * Fastify it is `reply.raw`. O(1).
 *
 * Caveat: a pipelined request (HTTP/1.1) has no connection of its own before the answers in front
 * of it are out. If its client goes earlier, Node closes no response, and the signal does not
 * abort. Nor does it while the socket is paused because nobody reads the body of the request: beyond
 * some 512 kB of unread body, Node does not notice that the client has gone. Read the body first.
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE if `response` is no such response.
 */
export function clientSignal(response: ServerResponse | Http2ServerResponse): AbortSignal {
  if (typeof response?.once !== 'function' || typeof response.writableEnded !== 'boolean') {
    throw invalidArgType(
      'response',
      'a ServerResponse or an Http2ServerResponse (with Fastify: reply.raw)',
      response,
    );
  }
  const known = signals.get(response);
  if (known !== undefined) return known;
  const client = new AbortController();
  signals.set(response, client.signal);
  const closed = (): void => {
    if (!isFinished(response)) client.abort();
  };
  if (isClosed(response)) closed();
  else response.once('close', closed);
  return client.signal;
}

/** A response of HTTP/2 is "writableFinished" without an end, too, when its stream is reset. */
function isFinished(response: ServerResponse | Http2ServerResponse): boolean {
  return response.writableEnded && response.writableFinished;
}

/** A response of HTTP/2 does not say whether it is destroyed; its stream does. */
function isClosed(response: ServerResponse | Http2ServerResponse): boolean {
  return 'stream' in response ? response.stream.destroyed : response.destroyed;
}
