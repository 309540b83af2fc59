// The calling side. A call is a TimerTask: its deadline is started with it and stopped by its reply, and nearly all are stopped. That is
// the load timing wheels are made for: START_TIMER and STOP_TIMER are O(1), and one host timer serves all calls of all clients.
//
// Ground rules. A call is in `#calls` exactly while its promise is pending, and ends in one of four ways: reply, deadline, abort, or loss
// of the connection. Each of them takes it out of `#calls`, the timer and its signal, before it settles the promise.
import { addAbortListener } from 'node:events';
import type { Socket } from 'node:net';
import { type Timer, TimerTask } from 'purgatory';
import { onLine, type Reply, sendLine } from './lines.ts';

/** No reply came within the deadline of the call. */
export class DeadlineExceeded extends Error {}

export interface CallOptions {
  /** How long the answer is worth waiting for, in ms from now. The server is told, and gives up by then too. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

class Call extends TimerTask {
  readonly id: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  abortListener: Disposable | undefined;
  readonly #expire: (call: Call) => void;

  constructor(
    id: number,
    timeoutMs: number,
    resolve: (result: unknown) => void,
    reject: (reason: unknown) => void,
    expire: (call: Call) => void,
  ) {
    super(timeoutMs);
    this.id = id;
    this.resolve = resolve;
    this.reject = reject;
    this.#expire = expire;
  }

  override run(): void {
    this.#expire(this);
  }
}

export class RpcClient {
  readonly #socket: Socket;
  readonly #timer: Timer;
  readonly #calls = new Map<number, Call>();
  #lastId = 0;

  /** @param timer the deadlines of any number of clients may share it. */
  constructor(socket: Socket, timer: Timer) {
    this.#socket = socket;
    this.#timer = timer;
    onLine<Reply>(socket, (reply) => this.#receive(reply));
    socket.on('error', () => {}); // 'close' follows, and fails the calls
    socket.on('close', () => this.#failAll(new Error('the connection was lost')));
  }

  /** Calls that wait for their reply. */
  get pending(): number {
    return this.#calls.size;
  }

  /** Rejects with DeadlineExceeded, `signal.reason`, the error of the server, or the loss of the connection. */
  call(method: string, params: unknown, { timeoutMs, signal }: CallOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#socket.destroyed) throw new Error('the connection was lost');
      const call = new Call(++this.#lastId, timeoutMs, resolve, reject, this.#expire);
      this.#timer.add(call);
      this.#calls.set(call.id, call);
      if (signal !== undefined) {
        call.abortListener = addAbortListener(signal, () => this.#giveUp(call, signal.reason));
      }
      sendLine(this.#socket, { id: call.id, method, params, budgetMs: timeoutMs });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** A reply to a call that has ended meanwhile is not an error: it and the cancel crossed. */
  #receive(reply: Reply): void {
    const call = this.#calls.get(reply.id);
    if (call === undefined) return;
    this.#end(call);
    if ('error' in reply) call.reject(new Error(reply.error));
    else call.resolve(reply.result);
  }

  readonly #expire = (call: Call): void => {
    this.#giveUp(call, new DeadlineExceeded(`no reply within ${call.delayMs} ms`));
  };

  #giveUp(call: Call, reason: unknown): void {
    this.#end(call);
    sendLine(this.#socket, { cancel: call.id });
    call.reject(reason);
  }

  #failAll(reason: Error): void {
    for (const call of this.#calls.values()) {
      this.#end(call);
      call.reject(reason);
    }
  }

  #end(call: Call): void {
    this.#calls.delete(call.id);
    call.cancel();
    call.abortListener?.[Symbol.dispose]();
  }
}
