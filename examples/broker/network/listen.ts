import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/**
 * Has the server listen; resolves to its port, which is a free one where `port` is 0. Rejects when it cannot be had. What goes
 * wrong later (no file descriptor left for one more connection, say) is logged and the server goes on.
 */
export async function listen(
  server: Server,
  port: number,
  host: string,
  log: (line: string) => void,
): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  server.on('error', (error) => log(`a connection could not be taken: ${error.message}`));
  return (server.address() as AddressInfo).port;
}
