// The signal of a connection that is no HTTP response: a socket, a WebSocket, a gRPC call.
//
// Invariants. An emitter has one signal, and one listener of ours for each event that ends it. The
// first of these events removes them. An emitter that has closed gets none.
import { invalidArgType } from '../../base/node-errors.ts';

/** What {@link closeSignal} needs of an EventEmitter. */
export interface ClosingEmitter {
  on(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
}

/** The events that end an emitter which has the property; 'close' ends each. */
const ENDS: readonly (readonly [property: string, event: string])[] = [
  ['cancelled', 'cancelled'], // of a gRPC call
  ['disconnected', 'disconnect'], // of socket.io
  ['threadId', 'exit'], // of a Worker
  ['isDead', 'exit'], // of a Worker of node:cluster
];

/** What says of an emitter of Node, of `ws`, grpc-js or socket.io that it is open no more. */
const OVER: Readonly<Record<string, unknown>> = {
  closed: true, // of Node's streams: it has emitted 'close'
  destroyed: true, // of Node's streams: 'close' follows
  cancelled: true, // of a gRPC call
  disconnected: true, // of socket.io
  readyState: 3, // CLOSED of a WebSocket
  threadId: -1, // of a Worker
};

const signals = new WeakMap<object, AbortSignal>();

/**
 * A signal that aborts when `emitter` closes: at its event 'close', and that of a gRPC call at
 * 'cancelled', of a socket of socket.io at 'disconnect', of a Worker at 'exit', too. All calls for an
 * emitter return the same signal. O(1).
 *
 * `emitter` is a socket, a stream, a WebSocket of `ws`, a call of a gRPC server, one of those named
 * above, or any EventEmitter with an event 'close'. For an HTTP request take
 * `clientSignal(response)`: a request closes as soon as its body was read, and a response also when
 * the answer has gone out.
 *
 * If it has closed before the call, the signal is aborted from the start, where the emitter says so:
 * by `destroyed` or `closed` (sockets and streams of Node), by `readyState` 3 (WebSockets),
 * `cancelled` (gRPC), `disconnected` (socket.io) or `threadId` -1 (Workers), or an emitter of your own
 * by one of these. Servers, child processes, message ports, sockets of dgram, and watchers of files
 * do not say so: call it before they can close.
 *
 * Caveat: a socket that is paused, for instance for backpressure, reads nothing. So it does not
 * report that its client has gone, and the signal does not abort before it is resumed.
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE if `emitter` is no EventEmitter, or
 *   a request of an HTTP server.
 */
export function closeSignal(emitter: ClosingEmitter): AbortSignal {
  if (typeof emitter?.on !== 'function' || typeof emitter.removeListener !== 'function') {
    throw invalidArgType('emitter', 'an EventEmitter, such as a socket or a WebSocket', emitter);
  }
  if (isRequest(emitter)) {
    throw invalidArgType(
      'emitter',
      'no request of an HTTP server, which closes when its body was read: take clientSignal(response)',
      emitter,
    );
  }
  const known = signals.get(emitter);
  if (known !== undefined) return known;
  const controller = new AbortController();
  signals.set(emitter, controller.signal);
  const events = ['close', ...ENDS.flatMap(([property, event]) => (property in emitter ? event : []))];
  const closed = (): void => {
    for (const event of events) emitter.removeListener(event, closed);
    controller.abort();
  };
  if (isClosed(emitter as never)) controller.abort();
  else for (const event of events) emitter.on(event, closed);
  return controller.signal;
}

/** Of node:http, or of node:http2. The response that a client gets has no method. */
function isRequest(emitter: ClosingEmitter): boolean {
  const { method, complete } = emitter as { method?: unknown; complete?: unknown };
  return typeof method === 'string' && typeof complete === 'boolean';
}

function isClosed(emitter: ClosingEmitter & { [property: string]: unknown }): boolean {
  if (Object.entries(OVER).some(([property, value]) => emitter[property] === value)) return true;
  return typeof emitter.isDead === 'function' && emitter.isDead() === true; // of a Worker of node:cluster
}
