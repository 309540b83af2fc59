// The callee's half of an RPC: calls that are cancelled by their ids, as in MCP and LSP: docs/recipes/rpc.md
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Purgatory } from 'purgatory';
import { closeSignal } from 'purgatory/http';

const files = new Purgatory('files', { maxParked: 10_000 });
const methods = {
  echo: async ({ text }) => text,
  watch: ({ file }, signal) => files.waitFor([file], () => undefined, { timeoutMs: 60_000, signal }),
};

function serve(socket) {
  const calls = new Map(); // id -> AbortController
  const closed = closeSignal(socket);
  closed.addEventListener('abort', () => {
    for (const call of calls.values()) call.abort(closed.reason);
  });
  socket.on('error', () => {}); // 'close' follows
  createInterface({ input: socket }).on('line', async (line) => {
    const { id, method, params, cancel } = JSON.parse(line);
    if (cancel !== undefined) return calls.get(cancel)?.abort(new Error('cancelled')); // it may have ended
    const call = new AbortController();
    calls.set(id, call);
    const answer = { id };
    try {
      answer.result = await methods[method](params, call.signal);
    } catch (error) {
      answer.error = error.message; // LSP wants an answer to a cancelled call, MCP wants none
    }
    calls.delete(id);
    if (!socket.destroyed) socket.write(`${JSON.stringify(answer)}\n`);
  });
}

const server = createServer(serve).listen(0, '127.0.0.1');
await once(server, 'listening');
const socket = connect(server.address().port, '127.0.0.1');
const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
const send = (message) => socket.write(`${JSON.stringify(message)}\n`);
const answer = async () => console.log((await answers.next()).value);
const parked = async (count) => {
  while (files.numDelayed !== count) await new Promise((resolve) => setTimeout(resolve, 5));
  console.log('parked', count);
};

send({ id: 1, method: 'watch', params: { file: 'a' } });
send({ id: 2, method: 'echo', params: { text: 'hello' } });
await answer();
await parked(1);
send({ cancel: 1 });
await answer();
send({ id: 3, method: 'watch', params: { file: 'b' } });
await parked(1);
socket.destroy(); // its calls end with it
await parked(0);
server.close();

/* It prints

{"id":2,"result":"hello"}
parked 1
{"id":1,"error":"cancelled"}
parked 1
parked 0
*/
