/**
 * The process at the other end of the connections of `standStill`: `talkers PORT COUNT SILENT`, the
 * child of the process under test.
 *
 * It makes COUNT connections and sends a beat on each, ten a second. It does what its parent asks by
 * IPC: to make the first SILENT of them fall silent, which it confirms, to stop the parent for so
 * many ms, as a container is frozen or a lid is closed, and to tell its own longest pause between
 * two beats since the silence.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Ask =
  | { readonly kind: 'silence' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'stop'; readonly ms: number };

const BEAT_MS = 100;
/** Less than the backlog of a server. */
const AT_A_TIME = 100;

const [, , port, count, silent] = process.argv.map(Number);
const sockets: Socket[] = [];
let isSilent = false;
let lastMs = performance.now();
let longestMs = 0;
/** Since the last beat, or between two. */
function longestPause(): number {
  longestMs = Math.max(longestMs, performance.now() - lastMs);
  return longestMs;
}
setInterval(() => {
  longestPause();
  lastMs = performance.now();
  for (const socket of isSilent ? sockets.slice(silent) : sockets) socket.write('.');
}, BEAT_MS);
while (sockets.length < count) {
  const size = Math.min(AT_A_TIME, count - sockets.length);
  sockets.push(...(await Promise.all(Array.from({ length: size }, opened))));
}

process.on('disconnect', () => process.exit(0));
process.on('message', async (ask: Ask) => {
  if (ask.kind === 'silence') {
    isSilent = true;
    longestMs = 0;
    process.send?.('silent'); // their last beats are on the way
    return;
  }
  if (ask.kind === 'pause') {
    process.send?.(longestPause());
    return;
  }
  process.kill(process.ppid, 'SIGSTOP');
  await sleep(ask.ms);
  process.kill(process.ppid, 'SIGCONT');
});

/** A connection, once the server has sent on it: so its order there is the order here. */
function opened(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}
