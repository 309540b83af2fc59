// Connections within the process. A test that fails must leave none open: mocha would never end.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const open: { close(): void }[] = [];

/** A client, and the server's end of its connection. */
export interface Connection {
  readonly client: Socket;
  readonly socket: Socket;
}

/** A new connection, open at both ends, until `closeConnections()`. */
export async function connected(): Promise<Connection> {
  const server = createServer();
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [Socket];
  if (client.connecting) await once(client, 'connect');
  for (const end of [client, socket]) open.push({ close: () => end.destroy() });
  return { client, socket };
}

/** Closes them all: for `afterEach`. */
export function closeConnections(): void {
  for (const each of open.splice(0)) each.close();
}
