// What once went wrong without a word: a bus that said `live`, and was not.
//
// Ground rules. The members of a fleet stand for processes, as in the other rows. What is refused
// needs an engine with a setting of its own, so there the buses are in this process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Bus } from '../../../src/bus/bus-options.ts';
import { Purgatory } from '../../../src/index.ts';
import { type Engine, startNats, startPostgres, startRedis } from '../../support/engines.ts';
import { type EngineName, Fleet } from './fleet.ts';
import { LONG_MS, msUntil } from './hall.ts';
import type { Report } from './member.ts';
import { openBus } from './open-bus.ts';
import type { Result, Row } from './row.ts';

const isLive = (reports: Report[]): boolean => reports.every(({ state }) => state === 'live');
const noneOverdue = (reports: Report[]): boolean => reports.every(({ overdue }) => overdue === 0);
const ECHO_MS = 1_000;

/** A managed switch: the server is a replica from now on, and all connections stay. */
const becomesReplica: Row = {
  name: 'the primary becomes a replica',
  engines: ['redis'],
  run: async (engine, scale) => {
    const fleet = new Fleet(engine, scale.parked);
    const other = await startRedis();
    try {
      await fleet.start(scale.members, { echoMs: ECHO_MS });
      const admin = new Redis((fleet.engine as Engine).port, '127.0.0.1');
      await admin.call('REPLICAOF', '127.0.0.1', `${other.port}`);
      const noticed = await fleet.until('all are in a gap', (all) =>
        all.every(({ state }) => state === 'gap'),
      );
      await fleet.load(scale.rate);
      await sleep(1_000);
      await fleet.all({ do: 'rest' });
      await admin.call('REPLICAOF', 'NO', 'ONE');
      admin.disconnect();
      const back = await fleet.until('all are answered', (all) => isLive(all) && noneOverdue(all));
      return [
        { what: `noticed by all (echo ${ECHO_MS})`, measured: noticed, unit: 'ms', bar: 2 * ECHO_MS },
        { what: 'all answered after it is a primary again', measured: back, unit: 'ms', bar: 3_000 },
      ];
    } finally {
      await fleet.end();
      await other.stop();
    }
  },
};

/** Starts an engine that refuses what buses send elsewhere. Returns it, and how to end it. */
const STARTERS: Partial<Record<EngineName, () => Promise<Engine>>> = {
  /** It takes half of a frame. */
  async nats() {
    const folder = mkdtempSync(join(tmpdir(), 'purgatory-max-payload-'));
    writeFileSync(join(folder, 'nats.conf'), 'max_payload: 8192');
    try {
      return await startNats(['-c', join(folder, 'nats.conf')]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  /** A frame with the name `refused` is an error. */
  async postgres() {
    const engine = await startPostgres();
    const options = { host: '127.0.0.1', port: engine.port, user: 'postgres', database: 'postgres' };
    const admin = new pg.Client(options);
    await admin.connect();
    await admin.query('ALTER DATABASE postgres SET search_path = public, pg_catalog');
    await admin.query(
      `CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
         IF $2 LIKE '%refused%' THEN RAISE 'refused'; END IF;
         PERFORM pg_catalog.pg_notify($1, $2);
       END $$`,
    );
    await admin.end();
    return engine;
  },
};

const refusedFrames: Row = {
  name: 'frames that the engine refuses',
  engines: ['nats', 'postgres'],
  run: async (name) => {
    const engine = await (STARTERS[name] as () => Promise<Engine>)();
    const lost: unknown[] = [];
    const onError = (error: unknown): void => {
      if ((error as { code?: string }).code === 'ERR_PURGATORY_HINTS_LOST') lost.push(error);
    };
    const opened = [await openBus(name, engine.port, { onError }), await openBus(name, engine.port, {})];
    const buses = opened.map(({ bus }): Bus => bus);
    const [writer, waiter] = buses.map((bus) => new Purgatory<string>('taken', { bus }));
    const refused = new Purgatory<string>('refused', { bus: buses[0] });
    try {
      await msUntil('both are live', () => buses.every(({ state }) => state === 'live'));
      const keys = Array.from({ length: 2_000 }, (_, key) => `${key} ${'ж'.repeat(20)}`);
      let isWritten = false;
      const waits = keys.map((key) => waiter.waitFor([key], () => isWritten, { timeoutMs: 10_000 }));
      let tries = 0;
      const attempt = (): void => void tries++;
      void refused.waitFor(['never'], attempt, { timeoutMs: LONG_MS }).catch(() => {});
      refused.notify('заказ');
      isWritten = true;
      for (const key of keys) writer.notify(key);
      await buses[0].flush();
      const outcomes = await Promise.all(waits);
      const { gaps } = buses[0].snapshot().totals;
      const results: Result[] = [
        {
          what: '2,000 keys: not heard',
          measured: outcomes.filter((each) => each.expired).length,
          unit: '',
          bar: 0,
        },
        { what: 'gaps by refusals', measured: gaps.publish, unit: '', bar: name === 'postgres' ? 3 : 0 },
        { what: 'tries of a wait in the process that publishes', measured: tries, unit: '', bar: 6 },
      ];
      if (name === 'postgres')
        results.push({ what: 'reported as lost', measured: lost.length, unit: '', bar: 1, least: 1 });
      return results;
    } finally {
      for (const purgatory of [writer, waiter, refused]) purgatory.close();
      await Promise.all(buses.map((bus) => bus.close()));
      for (const { close } of opened) await close();
      await engine.stop();
    }
  },
};

const THAWS = 3;

/** As a function that is frozen between two requests: longer than others know a process. */
const thaws: Row = {
  name: 'one process is frozen again and again',
  engines: ['redis', 'nats', 'postgres', 'cluster'],
  run: async (engine, scale) => {
    const echoMs = 40;
    const fleet = new Fleet(engine, Math.min(scale.parked, 20_000));
    try {
      await fleet.start(scale.members + 1, { echoMs, echoTimeoutMs: 5_000 });
      const [frozen, ...others] = fleet.members;
      const ask = (): Promise<Report[]> =>
        Promise.all(others.map((each) => fleet.order(each, { do: 'report' })));
      await sleep(10 * echoMs); // each has heard of all
      const before = await ask();
      for (let thaw = 0; thaw < THAWS; thaw++) {
        process.kill(frozen.process.pid as number, 'SIGSTOP');
        await sleep(110 * echoMs); // after 100 it counts as ended
        process.kill(frozen.process.pid as number, 'SIGCONT');
        await fleet.load(scale.rate, [frozen]);
        await sleep(500);
        await fleet.order(frozen, { do: 'rest' });
      }
      await fleet.until('all is answered', noneOverdue);
      const after = await ask();
      const most = (of: 'gaps' | 'sweeps'): number =>
        Math.max(...after.map((report, index) => report[of] - before[index][of]));
      return [
        { what: `${THAWS} thaws: gaps of each other process`, measured: most('gaps'), unit: '', bar: 0 },
        { what: '... sweeps', measured: most('sweeps'), unit: '', bar: 0 },
      ];
    } finally {
      await fleet.end();
    }
  },
};

export const SILENT_ROWS: readonly Row[] = [becomesReplica, refusedFrames, thaws];
