import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import type { Bus } from '../../../../src/bus/bus-options.ts';
import { LocalHub } from '../../../../src/bus/transports/local-hub.ts';
import { notifyInTransaction, postgresBus } from '../../../../src/bus/transports/postgres.ts';
import { ManualClock, Purgatory } from '../../../../src/index.ts';
import { closedAfterEach, listening, livePair, refused, untilHeard, untilLive } from '../../../bus/live.ts';
import { Listener } from '../../../bus/rig.ts';
import {
  type Engine,
  engines,
  SECOND_TRY,
  startPostgres,
  startPostgresReplica,
  TcpProxy,
} from '../../../support/engines.ts';
import { freePort } from '../../../support/free-ports.ts';
import { describeWith, itWith } from '../../../support/needs.ts';
import { rejection } from '../../../support/rejection.ts';
import { until } from '../../../support/turns.ts';
import { survivesKill } from './survives-kill.ts';

const clientOf = (port: number, database = 'postgres', options: pg.ClientConfig = {}): pg.Client =>
  new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database, ...options });

const orders = new Purgatory<string>('orders');

describe('newClient of postgresBus', () => {
  const nobody = (): pg.Client => clientOf(1);
  const reused = nobody();
  const connected = Object.assign(nobody(), { processID: 7 });
  for (const [what, newClient, received] of [
    ['a promise', async () => nobody(), 'an instance of Promise'],
    ['a promise that rejects', () => Promise.reject(new Error('no host')), 'an instance of Promise'],
    ['undefined', () => undefined, 'undefined'],
    ['a pool', () => new pg.Pool(), 'an instance of BoundPool'],
    ['an object that is no client', () => ({ on: () => {} }), 'an instance of Object'],
    ['a client that is connected', () => connected, 'an instance of Client'],
    ['the same client again', () => reused, 'an instance of Client'],
  ] as const) {
    it(`may not return ${what}: that ends the bus`, async () => {
      const errors = await refused((onError) => postgresBus(newClient as never, { onError }));
      expect(errors.at(-1)).to.include({ code: 'ERR_INVALID_RETURN_VALUE' });
      expect(errors.at(-1)?.message).to.equal(
        'Expected a client of pg that is not connected to be returned from the "newClient" function. ' +
          `Received ${received} (a bus over postgres, prefix "purgatory")`,
      );
    });
  }
});

describe('notifyInTransaction', () => {
  it('notifies over the prefix of the bus of the purgatory, and refuses another one', async () => {
    const channels: unknown[] = [];
    const client = {
      query: async (_text: string, values: unknown[]) => channels.push(values[0]),
    };
    const newClient = (): pg.Client => clientOf(1);
    const buses = [
      postgresBus(newClient, { prefix: 'eu' }),
      new LocalHub().bus({ prefix: 'eu' }),
      { join: () => ({ publish: () => {}, leave: () => {} }) },
    ] as const;
    try {
      const [shop, other, plain] = buses.map((bus) => new Purgatory<string>('shop', { bus }));
      await notifyInTransaction(client, shop, ['a']);
      await notifyInTransaction(client, shop, ['a'], { prefix: 'eu' });
      await notifyInTransaction(client, orders, ['a'], { prefix: 'eu' });
      await notifyInTransaction(client, plain, ['a'], { prefix: 'eu' });
      await notifyInTransaction(client, plain, ['a']);
      expect(channels.splice(0)).to.deep.equal(['eu', 'eu', 'eu', 'eu', 'purgatory']);
      const refused = async (purgatory: Purgatory<string>, prefix?: string): Promise<unknown> => {
        const error = (await rejection(notifyInTransaction(client, purgatory, ['a'], { prefix }))) as Error;
        return [(error as Error & { code: string }).code, error.message];
      };
      expect(await refused(shop, 'us')).to.deep.equal([
        'ERR_INVALID_ARG_VALUE',
        `The "options.prefix" property must be that of the bus of "shop", "eu", or be left out. Received 'us'`,
      ]);
      expect(await refused(other)).to.deep.equal([
        'ERR_INVALID_ARG_VALUE',
        'The "purgatory" argument must be on a bus over postgres: its bus over local hears nothing of a ' +
          `transaction. Received 'shop'`,
      ]);
      expect(channels).to.deep.equal([]);
    } finally {
      await Promise.all([buses[0].close(), buses[1].close()]);
    }
  });
});

describeWith(engines.postgres, 'a bus over PostgreSQL', () => {
  let postgres: Engine;
  const { track, later } = closedAfterEach();
  const bus = (port = postgres.port, options = {}): Bus => track(postgresBus(() => clientOf(port), options));
  /** Runs statements, one after the other, by one client. Returns what the last one gives. */
  const sql = async (
    { port, database = 'postgres' }: { port: number; database?: string },
    ...statements: (string | ((client: pg.Client) => Promise<void>))[]
  ): Promise<pg.QueryResult | undefined> => {
    const client = clientOf(port, database);
    await client.connect();
    let last: pg.QueryResult | undefined;
    try {
      for (const each of statements) {
        if (typeof each === 'string') last = await client.query(each);
        else await each(client);
      }
    } finally {
      await client.end();
    }
    return last;
  };

  before(async () => {
    postgres = await startPostgres(['-c', 'wal_level=replica']);
  });
  after(() => postgres.stop());

  it('is live where it may not look at the queue of NOTIFY', async () => {
    await sql(
      postgres,
      'REVOKE EXECUTE ON FUNCTION pg_notification_queue_usage() FROM PUBLIC',
      'CREATE ROLE blind LOGIN',
    );
    const { errors, onError } = listening();
    const one = track(postgresBus(() => clientOf(postgres.port, 'postgres', { user: 'blind' }), { onError }));
    await until(() => one.state === 'live' || errors.length > 0);
    expect(errors).to.deep.equal([]);
  });

  it('survives kill -9 of the server', async () => {
    await survivesKill(postgres, bus(), bus());
  }).retries(SECOND_TRY);

  it('is live again after an echo that was lost on a half-open connection', async () => {
    const proxy = await new TcpProxy(postgres.port).start();
    later(() => proxy.stop());
    const clock = new ManualClock();
    const one = bus(proxy.port, { clock, onError: () => {} });
    await untilLive(one);
    proxy.forget(); // as NAT does: nothing is closed
    clock.advance(5_000);
    clock.advance(5_000);
    expect(one.state).to.equal('gap');
    clock.advance(63); // the pause
    await untilLive(one);
  });

  it('notifyInTransaction tells all processes at the commit, the own one too, and none after a rollback', async () => {
    const [a, b] = [bus(), bus()];
    const { mine, others } = await livePair(a, b);
    const keys = Array.from({ length: 1_000 }, (_, index) => `${index} ${'é'.repeat(20)}`);
    await sql(
      postgres,
      'BEGIN',
      (client) => notifyInTransaction(client, orders, ['undone']),
      'ROLLBACK',
      'BEGIN',
      (client) => notifyInTransaction(client, orders, [...keys, keys[0]]),
      (client) => notifyInTransaction(client, orders, []),
      async () => void expect(others.heard).to.deep.equal([]),
      'COMMIT',
    );
    for (const { heard } of [mine, others]) {
      await until(() => heard.length >= keys.length);
      expect(heard).to.deep.equal(keys);
    }
    expect([a.state, b.state]).to.deep.equal(['live', 'live']);
  });

  describe('in a database of its own', () => {
    const inside = (database: string, ...statements: Parameters<typeof sql>[1][]) =>
      sql({ port: postgres.port, database }, ...statements);
    const busIn = (database: string, options = {}): Bus =>
      track(postgresBus(() => clientOf(postgres.port, database), options));
    /** Two buses in a new database, whose `pg_notify` is preceded by `code`. */
    const twoBuses = async (database: string, code: string, options = {}): Promise<[Bus, Bus]> => {
      const path = `ALTER DATABASE ${database} SET search_path = public, pg_catalog`;
      await sql(postgres, `CREATE DATABASE ${database}`, path);
      await inside(
        database,
        'CREATE TABLE state (is_full boolean, is_blocked boolean)',
        `CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
           ${code}
           PERFORM pg_catalog.pg_notify($1, $2);
         END $$`,
      );
      return [busIn(database, options), busIn(database)];
    };

    it('carries keys that the encoding of the database does not have', async () => {
      await sql(
        postgres,
        `CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
      );
      const [a, b] = [busIn('latin'), busIn('latin')];
      const { others: listener, publish } = await livePair(a, b);
      publish('заказ-7');
      await untilHeard(listener, 'заказ-7');
      await inside('latin', (client) => notifyInTransaction(client, orders, ['заказ-8']));
      await untilHeard(listener, 'заказ-8');
      expect(a.snapshot().totals.gaps.publish).to.equal(0);
    });

    it('gives up a frame that the server refuses, and says so; the others get through', async () => {
      const { errors, onError } = listening();
      const code = `IF $2 LIKE '%orders%' THEN RAISE 'no orders here'; END IF;`;
      const [a, b] = await twoBuses('strict', code, { onError });
      const [listener, mine] = [new Listener('jobs'), new Listener('orders')];
      b.join(listener);
      const refused = a.join(mine);
      const taken = a.join(new Listener('jobs'));
      await untilLive(a, b);
      refused.publish('7');
      await a.flush();
      taken.publish('8');
      await untilHeard(listener, '8');
      expect(a.snapshot().totals.gaps.publish).to.equal(3);
      expect(mine.sweeps).to.be.at.most(4);
      const lost = errors.filter(({ code }) => code === 'ERR_PURGATORY_HINTS_LOST');
      expect(lost).to.have.length(1);
      expect(lost[0].message).to.contain('"orders"').and.to.contain('no orders here');
    });

    it('moves the tail of a full queue of NOTIFY, which stays where it is while every NOTIFY fails', async () => {
      const full = `RAISE 'too many notifications in the NOTIFY queue' USING ERRCODE = '54000'`;
      const code = `IF EXISTS (SELECT FROM state WHERE is_full) THEN ${full}; END IF;`;
      const [a, b] = await twoBuses('filled', code, { echoMs: 50, onError: () => {} });
      await inside(
        'filled',
        `CREATE FUNCTION public.pg_notification_queue_usage() RETURNS double precision LANGUAGE sql AS $$
           UPDATE state SET is_full = is_full AND is_blocked RETURNING is_full::int::double precision $$`,
      );
      const { others: listener, publish } = await livePair(a, b);
      await inside('filled', 'INSERT INTO state VALUES (true, true)');
      await until(() => expect(a.state).to.equal('gap'), 'it is in a gap');
      publish('kept');
      await until(() => expect(a.snapshot().lastError?.message).to.contain('too many notifications'));
      await inside('filled', 'UPDATE state SET is_blocked = false');
      await untilLive(a);
      await untilHeard(listener, 'kept');
    });

    it('takes no frame for refused that went under with its connection', async () => {
      const { errors, onError } = listening();
      const code = `IF $2 LIKE '%orders%' AND EXISTS (SELECT FROM state) THEN PERFORM pg_sleep(60); END IF;`;
      const [a, b] = await twoBuses('slow', code, { onError });
      await inside('slow', 'INSERT INTO state VALUES (true)');
      const { others: listener, publish } = await livePair(a, b);
      publish('7');
      for (let ended = 1; ended <= 4; ended++) {
        const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
        const endsOne = async (): Promise<boolean> => (await inside('slow', end))?.rowCount === 1;
        await until(endsOne, 'the frame is under way');
        await until(() => expect(a.snapshot().totals.gaps.connection).to.equal(ended), 'its end is noticed');
      }
      await inside('slow', 'DELETE FROM state');
      await untilHeard(listener, '7');
      expect(a.snapshot().totals.gaps.publish).to.equal(0);
      expect(errors.map(({ code }) => code)).not.to.include('ERR_PURGATORY_HINTS_LOST');
    });
  });

  it('says why it is not live on a replica, and is once that is promoted', async () => {
    const replica = await startPostgresReplica(postgres);
    try {
      const { errors, onError } = listening();
      const one = bus(replica.port, { onError });
      await until(() => errors.length > 0);
      expect(errors[0]).to.include({ code: 'ERR_PURGATORY_BUS_UNFIT' });
      expect(errors[0].message).to.contain('replica');
      await sql(replica, 'SELECT pg_promote()');
      await untilLive(one);
      await one.close();
    } finally {
      await replica.stop();
    }
  });

  it('is live though the user parses types in a way of his own', async () => {
    for (const parse of [BigInt, String]) {
      const types = {
        getTypeParser: (oid: number, format?: string) =>
          oid === 23 || oid === 16 ? parse : pg.types.getTypeParser(oid, format as 'text'),
      };
      const one = track(
        postgresBus(() => clientOf(postgres.port, 'postgres', { types: types as pg.CustomTypesConfig })),
      );
      await untilLive(one);
      expect(one.snapshot().lastError).to.equal(null);
    }
  });

  describe('behind a pooler', () => {
    let pooler: ChildProcess | undefined;
    const folder = mkdtempSync(join(tmpdir(), 'purgatory-pgbouncer-'));
    const startPooler = async (mode: string): Promise<number> => {
      const port = await freePort();
      const file = join(folder, 'pgbouncer.ini');
      chmodSync(folder, 0o755);
      writeFileSync(
        file,
        `[databases]\npostgres = host=127.0.0.1 port=${postgres.port} user=postgres\n[pgbouncer]\n` +
          `listen_addr = 127.0.0.1\nlisten_port = ${port}\nauth_type = any\npool_mode = ${mode}\nunix_socket_dir =\n`,
      );
      pooler = spawn('/usr/sbin/pgbouncer', [file], {
        stdio: 'ignore',
        ...(process.getuid?.() === 0 ? { uid: 65_534 } : {}),
      });
      return port;
    };
    afterEach(() => pooler?.kill('SIGKILL'));
    after(() => rmSync(folder, { recursive: true }));

    itWith(engines.pgbouncer, 'hears the others in session mode', async () => {
      const port = await startPooler('session');
      const onError = (): void => {}; // until it is up
      const [one, other] = [bus(port, { onError }), bus()];
      const { mine, others, publish, publishThere } = await livePair(one, other);
      publish('out');
      publishThere('in');
      await Promise.all([untilHeard(others, 'out'), untilHeard(mine, 'in')]);
    });

    itWith(engines.pgbouncer, 'says in transaction mode that this is why no echo comes back', async () => {
      const port = await startPooler('transaction');
      const { errors, onError } = listening();
      const one = bus(port, { echoTimeoutMs: 300, onError });
      await until(() => errors.some(({ code }) => code === 'ERR_PURGATORY_BUS_UNFIT'));
      expect(errors.at(-1)?.message).to.contain('behind a pooler');
      expect(one.state).to.equal('connecting');
    });
  });
});
