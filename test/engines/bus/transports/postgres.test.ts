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
import { type BusError, livePair, untilHeard, untilLive } from '../../../bus/live.ts';
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

const clientOf = (port: number, database = 'postgres'): pg.Client =>
  new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database });

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
      const errors: (Error & { code?: string })[] = [];
      const bus = postgresBus(newClient as never, { onError: (error) => errors.push(error as Error) });
      await until(() => expect(bus.state).to.equal('closed'), 'the bus is closed');
      await bus.close();
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
  let proxy: TcpProxy | undefined;
  const buses: Bus[] = [];
  const bus = (port = postgres.port, options = {}): Bus => {
    const made = postgresBus(() => clientOf(port), options);
    buses.push(made);
    return made;
  };

  before(async () => {
    postgres = await startPostgres(['-c', 'wal_level=replica']);
  });
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((one) => one.close()));
    await proxy?.stop();
    proxy = undefined;
  });
  after(() => postgres.stop());

  it('is live where it may not look at the queue of NOTIFY', async () => {
    const admin = clientOf(postgres.port);
    await admin.connect();
    await admin.query('REVOKE EXECUTE ON FUNCTION pg_notification_queue_usage() FROM PUBLIC');
    await admin.query('CREATE ROLE blind LOGIN');
    await admin.end();
    const options = { host: '127.0.0.1', port: postgres.port, user: 'blind', database: 'postgres' };
    const errors: unknown[] = [];
    const one = postgresBus(() => new pg.Client(options), { onError: (error) => errors.push(error) });
    buses.push(one);
    await until(() => one.state === 'live' || errors.length > 0);
    expect(errors).to.deep.equal([]);
  });

  it('survives kill -9 of the server', async () => {
    await survivesKill(postgres, bus(), bus());
  }).retries(SECOND_TRY);

  it('is live again after an echo that was lost on a half-open connection', async () => {
    proxy = await new TcpProxy(postgres.port).start();
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
    const listeners = [new Listener('orders'), new Listener('orders')];
    a.join(listeners[0]);
    b.join(listeners[1]);
    await untilLive(a, b);
    const client = clientOf(postgres.port);
    await client.connect();
    try {
      await client.query('BEGIN');
      await notifyInTransaction(client, orders, ['undone']);
      await client.query('ROLLBACK');
      await client.query('BEGIN');
      const keys = Array.from({ length: 1_000 }, (_, index) => `${index} ${'é'.repeat(20)}`);
      await notifyInTransaction(client, orders, [...keys, keys[0]]);
      await notifyInTransaction(client, orders, []);
      expect(listeners[1].heard).to.deep.equal([]);
      await client.query('COMMIT');
      await until(() => listeners.every(({ heard }) => heard.length >= keys.length));
      for (const { heard } of listeners) expect(heard).to.deep.equal(keys);
      expect([a.state, b.state]).to.deep.equal(['live', 'live']);
    } finally {
      await client.end();
    }
  });

  describe('in a database of its own', () => {
    /** Runs statements, one after the other. Returns how many rows the last one has given. */
    const sql = async (database: string, ...statements: string[]): Promise<number | null> => {
      const client = clientOf(postgres.port, database);
      await client.connect();
      let rows: number | null = null;
      for (const statement of statements) rows = (await client.query(statement)).rowCount;
      await client.end();
      return rows;
    };
    const busIn = (database: string, options = {}): Bus => {
      const made = postgresBus(() => clientOf(postgres.port, database), options);
      buses.push(made);
      return made;
    };

    it('carries keys that the encoding of the database does not have', async () => {
      await sql(
        'postgres',
        `CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
      );
      const [a, b] = [busIn('latin'), busIn('latin')];
      const { others: listener, publish } = await livePair(a, b);
      publish('заказ-7');
      await untilHeard(listener, 'заказ-7');
      const client = clientOf(postgres.port, 'latin');
      await client.connect();
      await client.query('BEGIN');
      await notifyInTransaction(client, orders, ['заказ-8']);
      await client.query('COMMIT');
      await client.end();
      await untilHeard(listener, 'заказ-8');
      expect(a.snapshot().totals.gaps.publish).to.equal(0);
    });

    it('gives up a frame that the server refuses, and says so; the others get through', async () => {
      await sql(
        'postgres',
        'CREATE DATABASE strict',
        'ALTER DATABASE strict SET search_path = public, pg_catalog',
      );
      await sql(
        'strict',
        `CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
           IF $2 LIKE '%orders%' THEN RAISE 'no orders here'; END IF;
           PERFORM pg_catalog.pg_notify($1, $2);
         END $$`,
      );
      const errors: { code?: string; message: string }[] = [];
      const onError = (error: unknown): void => void errors.push(error as Error);
      const [a, b] = [busIn('strict', { onError }), busIn('strict')];
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
      await sql(
        'postgres',
        'CREATE DATABASE filled',
        'ALTER DATABASE filled SET search_path = public, pg_catalog',
      );
      await sql(
        'filled',
        'CREATE TABLE queue (is_full boolean, is_blocked boolean)',
        'INSERT INTO queue VALUES (false, false)',
        `CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
           IF (SELECT is_full FROM queue) THEN
             RAISE 'too many notifications in the NOTIFY queue' USING ERRCODE = '54000';
           END IF;
           PERFORM pg_catalog.pg_notify($1, $2);
         END $$`,
        `CREATE FUNCTION public.pg_notification_queue_usage() RETURNS double precision LANGUAGE sql AS $$
           UPDATE queue SET is_full = is_full AND is_blocked RETURNING is_full::int::double precision $$`,
      );
      const [a, b] = [busIn('filled', { echoMs: 50, onError: () => {} }), busIn('filled')];
      const { others: listener, publish } = await livePair(a, b);
      await sql('filled', 'UPDATE queue SET is_full = true, is_blocked = true');
      await until(() => expect(a.state).to.equal('gap'), 'it is in a gap');
      publish('kept');
      await until(() => expect(a.snapshot().lastError?.message).to.contain('too many notifications'));
      await sql('filled', 'UPDATE queue SET is_blocked = false');
      await untilLive(a);
      await untilHeard(listener, 'kept');
    });

    it('takes no frame for refused that went under with its connection', async () => {
      await sql(
        'postgres',
        'CREATE DATABASE slow',
        'ALTER DATABASE slow SET search_path = public, pg_catalog',
      );
      await sql(
        'slow',
        'CREATE TABLE pace (held boolean)',
        `CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
           IF $2 LIKE '%orders%' AND EXISTS (SELECT FROM pace) THEN PERFORM pg_sleep(60); END IF;
           PERFORM pg_catalog.pg_notify($1, $2);
         END $$`,
        'INSERT INTO pace VALUES (true)',
      );
      const errors: { code?: string }[] = [];
      const onError = (error: unknown): void => void errors.push(error as { code?: string });
      const [a, b] = [busIn('slow', { onError }), busIn('slow')];
      const listener = new Listener('orders');
      b.join(listener);
      const { publish } = a.join(new Listener('orders'));
      await until(() => expect([a.state, b.state]).to.deep.equal(['live', 'live']), 'both are live');
      publish('7');
      for (let ended = 1; ended <= 4; ended++) {
        const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
        await until(async () => expect(await sql('slow', end)).to.equal(1), 'the frame is under way');
        await until(() => expect(a.snapshot().totals.gaps.connection).to.equal(ended), 'its end is noticed');
      }
      await sql('slow', 'DELETE FROM pace');
      await until(() => expect(listener.heard).to.include('7'), '7 is heard');
      expect(a.snapshot().totals.gaps.publish).to.equal(0);
      expect(errors.map(({ code }) => code)).not.to.include('ERR_PURGATORY_HINTS_LOST');
    });
  });

  it('says why it is not live on a replica, and is once that is promoted', async () => {
    const replica = await startPostgresReplica(postgres);
    try {
      const errors: BusError[] = [];
      const one = bus(replica.port, { onError: (error: unknown) => errors.push(error as BusError) });
      await until(() => errors.length > 0);
      expect(errors[0]).to.include({ code: 'ERR_PURGATORY_BUS_UNFIT' });
      expect(errors[0].message).to.contain('replica');
      const admin = clientOf(replica.port);
      await admin.connect();
      await admin.query('SELECT pg_promote()');
      await admin.end();
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
      const one = postgresBus(
        () =>
          new pg.Client({
            host: '127.0.0.1',
            port: postgres.port,
            user: 'postgres',
            database: 'postgres',
            types: types as pg.CustomTypesConfig,
          }),
      );
      buses.push(one);
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
      const errors: BusError[] = [];
      const onError = (error: unknown): void => void errors.push(error as BusError);
      const one = bus(port, { echoTimeoutMs: 300, onError });
      await until(() => errors.some(({ code }) => code === 'ERR_PURGATORY_BUS_UNFIT'));
      expect(errors.at(-1)?.message).to.contain('behind a pooler');
      expect(one.state).to.equal('connecting');
    });
  });
});
