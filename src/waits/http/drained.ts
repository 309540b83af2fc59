/// <reference types="node" preserve="true" />
// Backpressure with a deadline: a writer waits until its stream takes more.
//
// Invariants. A wait has two listeners on the stream, and none when it has ended. It ends with the
// stream, too: one that was destroyed emits no 'drain'.
import type { Http2ServerResponse } from 'node:http2';
import type { Writable } from 'node:stream';
import { invalidArgType, prematureClose } from '../../base/node-errors.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { type BarrierOptions, type BarrierResult, waitOnce } from '../../timer/barrier.ts';

/**
 * Resolves with `{ expired: false }` when `stream` takes more after a `write` that returned false: at
 * once where it does already. With `{ expired: true }` after `timeoutMs`: its reader is slow, or has
 * gone without a word. Rejects with `signal.reason` on abort; with the error of a stream that fails,
 * or with Node's ERR_STREAM_PREMATURE_CLOSE where it closes, or was ended before; with a TypeError or
 * RangeError (Node's codes) for bad arguments. Never throws. O(1).
 *
 * `stream` is any writable stream of Node: a socket, a response of `node:http`, of `node:http2` (the
 * compatibility API) or of Express; with Fastify `reply.raw`.
 */
export async function drained(
  stream: Writable | Http2ServerResponse,
  options?: BarrierOptions,
): Promise<BarrierResult> {
  // A response of HTTP/2 has no word for its end, as its stream has.
  const writable = isWritable(stream) ? stream : (stream as Http2ServerResponse | undefined)?.stream;
  if (!isWritable(writable)) throw invalidArgType('stream', 'a writable stream', stream);
  const isDrained = !isOver(writable) && !writable.writableNeedDrain;
  return waitOnce(systemClock, options, isDrained ? undefined : (end) => listen(writable, end));
}

function listen(stream: Writable, end: (error?: Error) => void): () => void {
  const takesMore = (): void => end();
  const closed = (): void => end(stream.errored ?? prematureClose());
  stream.on('drain', takesMore);
  stream.on('close', closed);
  if (isOver(stream)) queueMicrotask(closed); // it may have closed already
  return () => {
    stream.removeListener('drain', takesMore);
    stream.removeListener('close', closed);
  };
}

/** It takes no more. A write that fails in its call destroys the stream in a later turn. */
function isOver(stream: Writable): boolean {
  return stream.destroyed || Boolean(stream.errored) || stream.writableEnded;
}

function isWritable(stream: unknown): stream is Writable {
  const { writableNeedDrain, destroyed } = (stream ?? {}) as Partial<Writable>;
  return typeof writableNeedDrain === 'boolean' && typeof destroyed === 'boolean';
}
