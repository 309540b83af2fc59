// A process of clients. A server and 10,000 clients in one process would need more file descriptors
// than a process may have. main.ts starts it with port, number and ms between heartbeats. It
// reports when all are connected, and silences as many clients as it is told to.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const [port, count, beatMs] = process.argv.slice(2).map(Number);
const BATCH = 200;
const clients: Socket[] = [];
const silent = new Set<Socket>();

function beat(socket: Socket): void {
  if (!silent.has(socket) && socket.writable) socket.write('.');
}

for (let from = 0; from < count; from += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, count - from) }, () => connect(port, '127.0.0.1'));
  await Promise.all(batch.map((socket) => once(socket, 'connect')));
  for (const socket of batch) {
    socket.on('data', () => beat(socket)); // a ping
    socket.on('error', () => {}); // the server has gone, 'close' follows
    clients.push(socket);
  }
}
setInterval(() => clients.forEach(beat), beatMs);

process.on('message', (numSilent: number) => {
  for (const socket of clients.slice(0, numSilent)) silent.add(socket);
});
process.on('disconnect', () => process.exit());
process.send?.('connected');
