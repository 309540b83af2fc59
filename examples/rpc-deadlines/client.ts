// The calling side. Each call expects the reply with its id until its deadline, and nearly all
// deadlines are stopped by the reply. That is the load timing wheels are made for: START_TIMER and
// STOP_TIMER are O(1), and one host timer serves all calls of all clients.
//
// Ground rules. `Replies` ends a call once, whichever comes first: reply, deadline, abort, or loss
// of the connection. A call that ends without a word from the server is cancelled there.
import type { Socket } from 'node:net';
import type { Timer } from 'purgatory';
import { Replies } from 'purgatory/replies';
import { onLine, type Reply, sendLine } from './lines.ts';

/** What the server answered in place of a result. */
export class RemoteError extends Error {}

export interface CallOptions {
  /**
   * How long the answer is worth waiting for, in ms from now. The server gets it too, and stops by
   * then.
   */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export class RpcClient {
  readonly #socket: Socket;
  readonly #replies: Replies<number, unknown>;
  #lastId = 0;

  /** @param timer the deadlines of any number of clients may share it. */
  constructor(socket: Socket, timer: Timer) {
    this.#socket = socket;
    this.#replies = new Replies('rpc', { timer });
    // A reply to a call that has ended meanwhile is not an error: the reply and the cancel crossed.
    onLine<Reply>(socket, (reply) => {
      if ('error' in reply) this.#replies.reject(reply.id, new RemoteError(reply.error));
      else this.#replies.resolve(reply.id, reply.result);
    });
    socket.on('error', () => {}); // 'close' follows, and fails the calls
    socket.on('close', () => this.#replies.rejectAll(lost()));
  }

  /** Calls that wait for their reply. */
  get pending(): number {
    return this.#replies.size;
  }

  /**
   * Rejects with ERR_PURGATORY_TIMEOUT, `signal.reason`, a RemoteError, or the loss of the
   * connection.
   */
  async call(method: string, params: unknown, { timeoutMs, signal }: CallOptions): Promise<unknown> {
    const id = ++this.#lastId;
    const send = (): void => {
      if (this.#socket.destroyed) throw lost();
      sendLine(this.#socket, { id, method, params, budgetMs: timeoutMs });
    };
    try {
      return await this.#replies.call(id, { timeoutMs, signal, label: method }, send);
    } catch (error) {
      if (!(error instanceof RemoteError)) sendLine(this.#socket, { cancel: id });
      throw error;
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

function lost(): Error {
  return new Error('the connection was lost');
}
