// node --import tsx examples/idle-connections/main.ts [connections]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HeartbeatServer } from './server.ts';

const count = Number(process.argv[2] ?? 10_000);
const BEAT_MS = 500;
const server = new HeartbeatServer({ idleMs: 1000, graceMs: 2000 });
const port = await server.listen(0);

const clients = fork(
  fileURLToPath(new URL('clients.ts', import.meta.url)),
  [port, count, BEAT_MS].map(String),
  {
    execArgv: ['--import', 'tsx'],
  },
);
await once(clients, 'message');
while (server.connections < count) await sleep(10);
console.log(`${server.connections} connections are open, each with a heartbeat every ${BEAT_MS} ms`);

const silent = Math.floor(count / 2);
clients.send(silent);
console.log(`${silent} fall silent`);
while (server.counts.reaped < silent) await sleep(10);

const { reaped, pings, heartbeats } = server.counts;
console.log(
  `${reaped} were reaped, ${server.connections} are kept; ${heartbeats} heartbeats, ${pings} pings`,
);
clients.disconnect();
await server.close();
