// Request and reply over a TCP socket: docs/recipes/rpc.md
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Replies } from 'purgatory/replies';

/** Calls `receive` with each document. A line that is none, or a bad one, ends the connection. */
function onDocument(socket, receive) {
  const lines = createInterface({ input: socket });
  lines.on('line', (line) => {
    try {
      receive(JSON.parse(line));
    } catch (error) {
      socket.destroy(error); // also for the half line of a connection that was lost
    }
  });
  for (const each of [socket, lines]) each.on('error', () => {}); // 'close' of the socket follows
}

// The server: answers `add`, refuses other methods, and never answers `sleep`.
const server = createServer((socket) => {
  onDocument(socket, ({ id, method, params }) => {
    if (method === 'sleep') return;
    const reply = method === 'add' ? { result: params[0] + params[1] } : { error: `no method ${method}` };
    socket.write(`${JSON.stringify({ id, ...reply })}\n`);
  });
});
await once(server.listen(0), 'listening');

// The client.
const socket = connect(server.address().port);
const replies = new Replies('backend', { maxParked: 10_000 });
onDocument(socket, ({ id, result, error }) => {
  if (error === undefined) replies.resolve(id, result);
  else replies.reject(id, new Error(error));
});
const lost = () => new Error('the connection was lost');
socket.on('close', () => replies.rejectAll(lost()));

let lastId = 0;
function call(method, params, { timeoutMs = 5_000, signal } = {}) {
  const id = ++lastId;
  return replies.call(id, { timeoutMs, signal, label: method }, () => {
    if (socket.destroyed) throw lost(); // nobody would reject it before its deadline
    socket.write(`${JSON.stringify({ id, method, params })}\n`);
  });
}

console.log(await call('add', [1, 2]));
console.log(await call('divide', [1, 2]).catch((error) => error.message));
console.log(await call('sleep', [], { timeoutMs: 50 }).catch((error) => error.message));
const last = call('sleep', []).catch((error) => error.message);
socket.destroy();
console.log(await last);
console.log(await call('add', [1, 2]).catch((error) => error.message), replies.size);
server.close();
replies.close();

/* It prints

3
no method divide
No reply of "backend" to 3 ("sleep") within 50 ms
the connection was lost
the connection was lost 0
*/
