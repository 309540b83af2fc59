// The connections. Commands run one at a time, each as a whole, in the order in which they come.
//
// Invariants. While a connection waits for a pop, its later requests wait behind it, but its socket
// is read on: a socket that is not read does not say that its client has gone. When the wait has
// ended, they run in a microtask, after the command that ended it.
import { createServer, type Server, type Socket } from 'node:net';
import { type BlockedPop, BlockedPops } from './blocked-pop.ts';
import { type Client, execute, type Store } from './commands.ts';
import { Lists } from './lists.ts';
import { error, inResp3, type Request, RequestParser } from './protocol.ts';

/** A connection with more requests behind one that waits is closed. */
const MAX_BEHIND = 10_000;

export class BlpopServer implements Store {
  readonly pops: BlockedPops = new BlockedPops(new Lists());
  readonly #clients = new Map<number, Connection>();
  #lastId = 0;
  readonly #server: Server = createServer({ noDelay: true }, (socket) => this.#accept(socket));

  /** Listens on the loopback interface; returns the port. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host: '127.0.0.1', backlog: 4_096 }, () =>
        resolve((this.#server.address() as { port: number }).port),
      );
    });
  }

  /** As Redis, it ends the connections; those who wait ask another server. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const client of this.#clients.values()) client.destroy();
    this.pops.waiting.close();
    return closed;
  }

  get connections(): number {
    return this.#clients.size;
  }

  clientOf(id: number): Client | undefined {
    return this.#clients.get(id);
  }

  #accept(socket: Socket): void {
    const id = ++this.#lastId;
    this.#clients.set(id, new Connection(id, socket, this));
    socket.on('close', () => this.#clients.delete(id));
  }
}

class Connection implements Client {
  readonly id: number;
  protocol: 2 | 3 = 2;
  blocked: BlockedPop | undefined;
  readonly #socket: Socket;
  readonly #store: Store;
  readonly #parser = new RequestParser();
  /** Those that have yet to run; the next is at `#next`. */
  #requests: Request[] = [];
  #next = 0;

  constructor(id: number, socket: Socket, store: Store) {
    this.id = id;
    this.#socket = socket;
    this.#store = store;
    socket.on('data', (bytes) => this.#read(bytes));
    socket.on('drain', () => {
      socket.resume();
      this.#run();
    });
    socket.on('end', () => this.#gone());
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => this.#gone());
  }

  answer(reply: string): void {
    this.#write(reply);
    if (this.blocked === undefined) return; // its pop did not have to wait
    this.blocked = undefined;
    queueMicrotask(() => this.#run());
  }

  quit(): void {
    this.#requests = [];
    this.#next = 0;
    queueMicrotask(() => this.#socket.end());
  }

  destroy(): void {
    this.#gone(); // 'close' comes later
    this.#socket.destroy();
  }

  #write(reply: string): void {
    this.#socket.write(this.protocol === 3 ? inResp3(reply) : reply, 'latin1');
  }

  #gone(): void {
    this.#requests = [];
    this.#next = 0;
    this.blocked?.cancel();
    this.blocked = undefined;
  }

  #read(bytes: Buffer): void {
    if (!this.#socket.writable) return; // after QUIT, and after what was no request
    try {
      for (const request of this.#parser.read(bytes)) this.#requests.push(request);
    } catch (thrown) {
      this.#run();
      this.#socket.end(error(`ERR ${(thrown as Error).message}`), 'latin1');
      return;
    }
    this.#run();
    if (this.blocked !== undefined && this.#requests.length - this.#next > MAX_BEHIND) this.destroy();
  }

  /** Runs its requests, until one has to wait, or the client is slow to read. */
  #run(): void {
    const socket = this.#socket;
    socket.cork();
    while (this.blocked === undefined && this.#next < this.#requests.length && !socket.writableNeedDrain) {
      const reply = execute(this.#requests[this.#next++], this, this.#store);
      if (reply !== undefined) this.#write(reply);
    }
    socket.uncork();
    if (this.#next === this.#requests.length) {
      this.#requests = [];
      this.#next = 0;
    }
    if (socket.writableNeedDrain) socket.pause(); // until 'drain'
  }
}
