// One suite over all transports. The cluster's runs in a worker: cluster.test.ts.
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { Redis as IoValkey } from 'iovalkey';
import pg from 'pg';
import { createClient } from 'redis';
import type { Transport } from '../../../../src/bus/transport.ts';
import { type ConformanceOptions, transportConformance } from '../../../../src/bus/transports/conformance.ts';
import { natsTransport } from '../../../../src/bus/transports/nats.ts';
import { postgresTransport } from '../../../../src/bus/transports/postgres.ts';
import { redisTransport } from '../../../../src/bus/transports/redis.ts';
import { workersTransport } from '../../../../src/bus/transports/workers.ts';
import {
  type Engine,
  engines,
  startNats,
  startPostgres,
  startRedis,
  TcpProxy,
} from '../../../support/engines.ts';
import { LIMIT_MS } from '../../../support/limit.ts';
import { describeWith } from '../../../support/needs.ts';
import { interestCases } from './interest-cases.ts';

function suite(make: () => Transport | Promise<Transport>, options?: ConformanceOptions): void {
  for (const { title, run } of transportConformance(make, { patienceMs: LIMIT_MS, ...options })) {
    it(title, run);
  }
}

/** For an engine that can route by interest. */
function routingSuite(make: () => Transport | Promise<Transport>, options: ConformanceOptions): void {
  for (const { title, run } of interestCases(make)) it(title, run);
  suite(make, options);
}

/** An engine behind a proxy, for the tests of one block. */
function behindProxy(start: () => Promise<Engine>): {
  port(): number;
  sever(): void;
  later(end: () => unknown): void;
} {
  let engine: Engine;
  let proxy: TcpProxy;
  const ends: (() => unknown)[] = [];
  before(async () => {
    engine = await start();
    proxy = await new TcpProxy(engine.port).start();
  });
  after(async () => {
    for (const end of ends) await end();
    await proxy.stop();
    await engine.stop();
  });
  return { port: () => proxy.port, sever: () => proxy.sever(), later: (end) => ends.push(end) };
}

describe('a transport over worker threads', () => {
  suite(() => workersTransport('conformance'));
});

describeWith(engines.redis, 'a transport over Redis', () => {
  const { port, sever, later } = behindProxy(startRedis);

  const options = { retryStrategy: () => 10 };
  for (const [name, connect] of [
    ['ioredis', () => new Redis(port(), '127.0.0.1', options)],
    ['iovalkey', () => new IoValkey(port(), '127.0.0.1', options)],
  ] as const) {
    describe(`by ${name}`, () => {
      routingSuite(
        () => {
          const client = connect();
          client.on('error', () => {});
          later(() => client.disconnect());
          return redisTransport(client, name);
        },
        { sever },
      );
    });
  }

  describe('by node-redis', () => {
    routingSuite(
      async () => {
        const client = createClient({ socket: { port: port(), host: '127.0.0.1', reconnectStrategy: 10 } });
        client.on('error', () => {});
        await client.connect();
        later(() => client.destroy());
        return redisTransport(client, 'node-redis');
      },
      { sever },
    );
  });
});

describeWith(engines.nats, 'a transport over NATS', () => {
  const { port, sever, later } = behindProxy(startNats);
  const open = (): Promise<NatsConnection> =>
    connect({ servers: `127.0.0.1:${port()}`, maxReconnectAttempts: -1, reconnectTimeWait: 10 });
  describe('by the connection of the user', () => {
    routingSuite(
      async () => {
        const connection = await open();
        later(() => connection.close());
        return natsTransport(connection, 'conformance');
      },
      { sever },
    );
  });
  describe('by one of its own', () => {
    routingSuite(() => natsTransport(open, 'own'), { sever });
  });
});

describeWith(engines.postgres, 'a transport over PostgreSQL', () => {
  const { port, sever } = behindProxy(startPostgres);
  suite(
    () =>
      postgresTransport(
        () => new pg.Client({ host: '127.0.0.1', port: port(), user: 'postgres', database: 'postgres' }),
        'conformance',
      ),
    { sever },
  );
});
