// Acknowledgements of many clients, a table for each connection: docs/recipes/rpc.md
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { SystemTimer } from 'purgatory';
import { Replies } from 'purgatory/replies';

const timer = new SystemTimer(); // of all connections

/** The server's end of a connection. */
class Peer {
  #socket;
  #acknowledged = new Replies('peers', { timer, maxParked: 1_000 });
  #lastId = 0;

  constructor(socket) {
    this.#socket = socket;
    const lines = createInterface({ input: socket });
    lines.on('line', (id) => this.#acknowledged.resolve(id, 'acknowledged'));
    for (const each of [socket, lines]) each.on('error', () => {}); // 'close' of the socket follows
    socket.on('close', () => {
      this.#acknowledged.rejectAll(new Error('the connection was lost'));
      this.#acknowledged.close(); // refuses what is sent later; the timer goes on
    });
  }

  /** Resolves when the client has acknowledged the message. */
  send(text) {
    const id = String(++this.#lastId);
    return this.#acknowledged.call(id, { timeoutMs: 5_000 }, () => this.#socket.write(`${id} ${text}\n`));
  }

  end() {
    this.#socket.destroy();
  }
}

const server = createServer();
await once(server.listen(0), 'listening');

/** A client that answers each line by `answer`, and the server's end of its connection. */
async function connected(answer) {
  const client = connect(server.address().port);
  const [socket] = await once(server, 'connection');
  createInterface({ input: client }).on('line', (line) => answer(client, line.split(' ')[0]));
  return new Peer(socket);
}

const peers = [
  await connected((client, id) => client.write(`${id}\n`)),
  await connected((client) => client.destroy()),
];
const sent = peers.map((peer) => peer.send('hello').catch((error) => error.message));
console.log(await Promise.all(sent), timer.size);
console.log(await peers[1].send('anybody?').catch((error) => error.code));
peers[0].end();
server.close();
timer.close();

/* It prints

[ 'acknowledged', 'the connection was lost' ] 0
ERR_PURGATORY_CLOSED
*/
