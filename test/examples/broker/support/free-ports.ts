import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** The first of `count` ports in a row that nobody listens on. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const servers: Server[] = [];
    try {
      const base = await hold(0, servers);
      for (let i = 1; i < count; i++) await hold(base + i, servers);
      return base;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' && code !== 'ERR_SOCKET_BAD_PORT') throw error;
    } finally {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    }
  }
}

async function hold(port: number, servers: Server[]): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as { port: number }).port;
}
