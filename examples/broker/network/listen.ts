import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { Log } from '../log-lines.ts';

export interface Address {
  readonly host: string;
  /** 0 is any free one. */
  readonly port: number;
  /** The option that it comes from. */
  readonly option: string;
}

/**
 * Has the server listen; resolves to its port. Rejects when it cannot be had, with an Error that
 * says what to do where it is in use. What goes wrong later (no file descriptor left for one more
 * connection, say) is logged and the server goes on.
 */
export async function listen(server: Server, { host, port, option }: Address, log: Log): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `port ${port} of ${host} is in use: end what listens there, or choose another port with ${option}`,
      { cause: error },
    );
  }
  server.on('error', (error) => log(`a connection could not be taken: ${error.message}`, 'limited'));
  return (server.address() as AddressInfo).port;
}
