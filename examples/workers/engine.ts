// The bus by its URL, and the clients that carry it.
//
// Ground rules. The code that opens an engine closes it: the bus first, then the clients. The
// clients are the user's own, as in any server, with their TLS, passwords and reconnecting. They
// are imported when they are needed, so nobody installs what is not used.
import cluster from 'node:cluster';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { Bus } from 'purgatory/bus';
import { clusterBus } from 'purgatory/bus/cluster';
import { natsBus } from 'purgatory/bus/nats';
import { postgresBus } from 'purgatory/bus/postgres';
import { redisBus } from 'purgatory/bus/redis';
import { Unusable } from './command-line.ts';

export interface Engine {
  /** Undefined: this process is alone. */
  readonly bus?: Bus;
  /** For an engine that can keep data, too. */
  readonly redis?: Redis;
  readonly pool?: Pool;
  close(): Promise<void>;
}

/** @throws Unusable when the engine cannot be reached. */
export async function openEngine(url: URL | undefined): Promise<Engine> {
  try {
    if (url === undefined) return cluster.isWorker ? openCluster() : { close: async () => {} };
    if (url.protocol.startsWith('redis')) return await openRedis(url);
    if (url.protocol === 'nats:') return await openNats(url);
    return await openPostgres(url);
  } catch (error) {
    throw new Unusable(`${url?.protocol}//${url?.host} cannot be reached: ${reason(error)}`);
  }
}

function openCluster(): Engine {
  const onError = (error: unknown): void => {
    // The primary disconnects its workers when it ends: then the bus has nobody to hear of.
    if (cluster.worker?.exitedAfterDisconnect !== true) console.error(reason(error));
  };
  return withBus(clusterBus({ onError }), {});
}

async function openRedis(url: URL): Promise<Engine> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url.href, {
    lazyConnect: true,
    retryStrategy: (tries) => Math.min(50 * tries, 500),
  });
  let why: unknown;
  redis.on('error', (error) => {
    why = error; // it connects again, and what waits for it is told
  });
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw why ?? error; // ioredis rejects with no more than "Connection is closed"
  }
  return withBus(redisBus(redis), { redis }, () => redis.disconnect());
}

async function openNats(url: URL): Promise<Engine> {
  const { connect } = await import('@nats-io/transport-node');
  const open = () => connect({ servers: url.host, maxReconnectAttempts: -1, reconnectTimeWait: 200 });
  await (await open()).close(); // without a server, say so at once
  return withBus(natsBus(open), {}, () => {});
}

async function openPostgres(url: URL): Promise<Engine> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url.href, max: 10 });
  pool.on('error', () => {}); // the pool makes a new one
  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await pool.end();
    throw error;
  }
  const bus = postgresBus(() => new pg.Client({ connectionString: url.href }));
  return withBus(bus, { pool }, () => pool.end());
}

function withBus(bus: Bus, clients: Pick<Engine, 'redis' | 'pool'>, end?: () => unknown): Engine {
  return {
    bus,
    ...clients,
    async close() {
      await bus.close();
      await end?.();
    },
  };
}

/**
 * When several addresses were tried, Node's own error has no message, but the errors of each have.
 */
function reason(error: unknown): string {
  const { errors = [], message } = error as AggregateError;
  return message || errors.map((each) => (each as Error).message).join(', ') || String(error);
}
