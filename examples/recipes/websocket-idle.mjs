// WebSockets that have gone silent are pinged, then closed: docs/recipes/websocket-idle.md
// npm install purgatory ws
import { IdleTimeouts } from 'purgatory/idle';
import { WebSocketServer } from 'ws';

const timeoutMs = Number(process.env.IDLE_MS ?? 30_000);
const FRAGMENT = 65_536; // bytes
const idle = new IdleTimeouts('sockets', { timeoutMs: timeoutMs / 2, onIdle });
const pinged = new WeakSet();
const server = new WebSocketServer({ port: Number(process.env.PORT ?? 3000) });

/** Quiet: ping it. Silent: end it. */
function onIdle(socket) {
  if (pinged.has(socket)) return socket.terminate();
  pinged.add(socket);
  socket.ping();
  idle.touch(socket);
}

function send(socket, text) {
  const data = Buffer.from(text);
  for (let from = 0; from === 0 || from < data.length; from += FRAGMENT) {
    const fin = from + FRAGMENT >= data.length;
    socket.send(data.subarray(from, from + FRAGMENT), { binary: false, fin });
    if (!fin) socket.ping();
  }
}

server.on('connection', (socket, request) => {
  idle.touch(socket);
  request.socket.on('data', () => {
    idle.refresh(socket); // only while it is tracked
    pinged.delete(socket);
  });
  socket.on('message', (data) => send(socket, `echo: ${data}`));
  socket.on('close', () => idle.remove(socket));
  socket.on('error', () => {}); // 'close' follows
});

server.on('listening', () => console.log(server.address().port));
process.on('SIGTERM', () => {
  for (const socket of server.clients) socket.close(1001);
  server.close(() => idle.close()); // last: a socket that closes may still receive, and has to end
});
