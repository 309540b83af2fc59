// A bus of any engine on loopback.
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Bus } from '../../../src/bus/bus-options.ts';
import { clusterBus } from '../../../src/bus/transports/cluster.ts';
import { natsBus } from '../../../src/bus/transports/nats.ts';
import { postgresBus } from '../../../src/bus/transports/postgres.ts';
import { redisBus } from '../../../src/bus/transports/redis.ts';
import { workersBus } from '../../../src/bus/transports/workers.ts';

/** Gaps are what the rows make, so nobody is warned of them. */
const options = { onError: (): void => {} };

export function openBus(engine: string, port: number): Bus {
  const host = '127.0.0.1';
  if (engine === 'redis') {
    const client = new Redis(port, host, { retryStrategy: (times) => Math.min(times * 50, 500) });
    client.on('error', () => {});
    return redisBus(client, options);
  }
  if (engine === 'nats') {
    const servers = `${host}:${port}`;
    return natsBus(() => connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 200 }), options);
  }
  if (engine === 'postgres') {
    return postgresBus(() => new pg.Client({ host, port, user: 'postgres', database: 'postgres' }), options);
  }
  return engine === 'workers' ? workersBus(options) : clusterBus(options);
}
