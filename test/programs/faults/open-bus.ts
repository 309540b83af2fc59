// A bus of any engine on loopback.
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Bus, BusOptions } from '../../../src/bus/bus-options.ts';
import { clusterBus } from '../../../src/bus/transports/cluster.ts';
import { natsBus } from '../../../src/bus/transports/nats.ts';
import { postgresBus } from '../../../src/bus/transports/postgres.ts';
import { redisBus } from '../../../src/bus/transports/redis.ts';
import { workersBus } from '../../../src/bus/transports/workers.ts';

/** The bus, and a function that ends the client that it was made of. */
export async function openBus(
  engine: string,
  port: number,
  options: BusOptions,
): Promise<{ bus: Bus; close(): Promise<unknown> }> {
  if (engine === 'redis') {
    const client = new Redis(port, '127.0.0.1', { retryStrategy: (times) => Math.min(times * 50, 500) });
    client.on('error', () => {});
    return { bus: redisBus(client, options), close: async () => client.disconnect() };
  }
  if (engine === 'nats') {
    const newConnection = (): ReturnType<typeof connect> =>
      connect({ servers: `127.0.0.1:${port}`, maxReconnectAttempts: -1, reconnectTimeWait: 200 });
    return { bus: natsBus(newConnection, options), close: async () => {} };
  }
  if (engine === 'postgres') {
    const config = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' };
    const bus = postgresBus(() => new pg.Client(config), options);
    return { bus, close: async () => {} };
  }
  if (engine === 'workers') return { bus: workersBus(options), close: async () => {} };
  return { bus: clusterBus(options), close: async () => {} };
}
