// Ports for servers that are stopped and started again on the same port.
//
// They lie below the range that Linux takes the ports of outgoing connections from (32,768 and up):
// a connection of another test could take such a port while its server is down.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const LOWEST = 10_000;
const BEYOND = 32_000;

/** Processes that run side by side begin at different ones, and none gives out one twice. */
let next = (process.pid * 397) % (BEYOND - LOWEST);

/** The first of `count` ports in a row that nobody listens on now. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    if (next + count > BEYOND - LOWEST) next = 0;
    const base = LOWEST + next;
    next += count;
    const servers: Server[] = [];
    try {
      for (let i = 0; i < count; i++) await hold(base + i, servers);
      return base;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    } finally {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    }
  }
}

async function hold(port: number, servers: Server[]): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
}
