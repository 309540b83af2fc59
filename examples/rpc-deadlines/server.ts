// The answering side. A call brings its budget, which becomes a deadline here. So the server stops
// work that nobody waits for, even when the cancel is lost. Handlers see one signal for deadline,
// cancel and loss of the connection.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { SystemTimer } from 'purgatory';
import { timeoutSignal } from 'purgatory/timers';
import { onLine, type Reply, type Request, sendLine } from './lines.ts';

/** Answers a call; `signal` aborts when the answer is of no use any more. */
export type Handler = (params: unknown, signal: AbortSignal) => Promise<unknown>;

export class RpcServer {
  readonly timer: SystemTimer = new SystemTimer();
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer({ noDelay: true }, (socket) => this.#accept(socket));

  constructor(handlers: Readonly<Record<string, Handler>>) {
    this.#handlers = new Map(Object.entries(handlers));
  }

  /** Listens on the loopback interface; returns the port. */
  async listen(port: number): Promise<number> {
    await once(this.#server.listen(port, '127.0.0.1'), 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => {
      this.#server.close(() => {
        this.timer.close();
        resolve();
      });
    });
  }

  #accept(socket: Socket): void {
    const running = new Map<number, AbortController>();
    this.#sockets.add(socket);
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => {
      this.#sockets.delete(socket);
      for (const controller of running.values()) controller.abort(new Error('the caller has gone'));
    });
    onLine<Request>(socket, (request) => {
      if ('cancel' in request) running.get(request.cancel)?.abort(new Error('the caller gave up'));
      else void this.#answer(socket, running, request);
    });
  }

  async #answer(
    socket: Socket,
    running: Map<number, AbortController>,
    { id, method, params, budgetMs }: Exclude<Request, { cancel: number }>,
  ): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const handler = this.#handlers.get(method);
      if (handler === undefined) throw new Error(`there is no method ${method}`);
      using signal = timeoutSignal(budgetMs, { signal: controller.signal, timer: this.timer });
      const reply = await handler(params, signal).then(
        (result): Reply => ({ id, result }),
        (error: Error): Reply => ({ id, error: error.message }),
      );
      // After an abort nobody waits: the caller's own deadline ends the call there.
      if (!signal.aborted) sendLine(socket, reply);
    } catch (error) {
      sendLine(socket, { id, error: (error as Error).message });
    } finally {
      running.delete(id);
    }
  }
}
