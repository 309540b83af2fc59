// Engines that carry the own echo of a bus, and not the others, or that refuse it for a moment.
//
// Ground rules. All of them need an engine with a setting of its own, so the buses are in this process.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import type { Bus } from '../../../src/bus/bus-options.ts';
import { redisBus } from '../../../src/bus/transports/redis.ts';
import { Purgatory } from '../../../src/index.ts';
import { type Engine, startNats, startRedis, startRoutedNats } from '../../support/engines.ts';
import {
  addressOf,
  hears,
  idOf,
  knowsAllSlots,
  manage,
  moveSlots,
  startClusterNode,
  startRedisCluster,
} from '../../support/redis-cluster.ts';
import { ECHO_MS, Hall, LONG_MS, msUntil } from './hall.ts';
import type { Row } from './row.ts';

interface Narrowed {
  readonly engine: Engine;
  /** Takes the permission for the channels of buses, or gives it back. */
  permit(isPermitted: boolean): Promise<unknown>;
  stop(): Promise<void>;
}

const NARROWED: Record<string, () => Promise<Narrowed>> = {
  async redis() {
    const engine = await startRedis();
    const admin = new Redis(engine.port, '127.0.0.1');
    return {
      engine,
      permit: (isPermitted) =>
        admin.call('ACL', 'SETUSER', 'default', isPermitted ? 'allchannels' : 'resetchannels'),
      stop: async () => {
        admin.disconnect();
        await engine.stop();
      },
    };
  },
  async nats() {
    const folder = mkdtempSync(join(tmpdir(), 'purgatory-faults-'));
    const file = join(folder, 'nats.conf');
    const write = (subject: string): void => {
      const permissions = `{ publish: "${subject}", subscribe: "${subject}" }`;
      writeFileSync(
        file,
        `no_auth_user: app\nauthorization { users = [{user: app, password: x, permissions: ${permissions}}] }`,
      );
    };
    write('>');
    const engine = await startNats(['-c', file]);
    return {
      engine,
      permit: async (isPermitted) => {
        write(isPermitted ? '>' : 'other');
        process.kill(engine.pid, 'SIGHUP');
      },
      stop: async () => {
        await engine.stop();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

const narrowed: Row = {
  name: 'a permission is taken for a moment',
  engines: ['redis', 'nats'],
  run: async (name) => {
    const { engine, permit, stop } = await NARROWED[name]();
    const hall = await Hall.open(name, engine.port, 4, { onError: () => {} });
    try {
      let isTrue = false;
      const waits = hall.purgatories.map((each) => each.waitFor(['k'], () => isTrue, { timeoutMs: LONG_MS }));
      await permit(false);
      const inGap = await msUntil('all notice', () => hall.buses.every(({ state }) => state !== 'live'));
      isTrue = true;
      hall.purgatories[0].notify('k');
      await permit(true);
      const back = await hall.live();
      await Promise.all(waits);
      const closed = hall.buses.filter(({ isClosed }) => isClosed).length;
      return [
        { what: `noticed by all (echo ${ECHO_MS})`, measured: inGap, unit: 'ms', bar: 2 * ECHO_MS },
        { what: 'all live again', measured: back, unit: 'ms', bar: 3_000 },
        { what: 'buses that are closed', measured: closed, unit: '', bar: 0 },
      ];
    } finally {
      await hall.end();
      await stop();
    }
  },
};

const split: Row = {
  name: 'the routes of the engine are cut',
  engines: ['nats'],
  run: async (name) => {
    const { servers, route, stop } = await startRoutedNats();
    let remarks = 0;
    const onError = (error: unknown): void => {
      if ((error as { code?: string }).code === 'ERR_PURGATORY_BUS_DOUBT') remarks++;
    };
    const halls = await Promise.all(servers.map(({ port }) => Hall.open(name, port, 3, { onError })));
    const buses = halls.flatMap((hall) => hall.buses);
    try {
      await msUntil('all hear all', () => buses.every((bus) => bus.snapshot().peers === buses.length - 1));
      let isTrue = false;
      const waits = halls[1].purgatories.map((each) =>
        each.waitFor(['k'], () => isTrue, { timeoutMs: LONG_MS }),
      );
      await sleep(2 * ECHO_MS); // the second sweep of a bus that has become live is over
      route.swallow();
      isTrue = true;
      halls[0].purgatories[0].notify('k');
      const beganMs = performance.now();
      await Promise.all(waits);
      const answered = performance.now() - beganMs;
      const live = buses.filter(({ state }) => state === 'live').length;
      await msUntil('all are in doubt', () => buses.every((bus) => bus.snapshot().doubt !== null));
      const doubt = performance.now() - beganMs;
      await sleep(6 * ECHO_MS);
      return [
        {
          what: 'waits of the other side answered',
          measured: answered,
          unit: 'ms',
          bar: 5 * ECHO_MS + 1_000,
        },
        { what: '... until all are in doubt', measured: doubt, unit: 'ms', bar: 6 * ECHO_MS },
        { what: '... remarks of a process', measured: remarks / buses.length, unit: '', bar: 1, least: 1 },
        { what: '... buses that are live', measured: live, unit: '', least: buses.length },
      ];
    } finally {
      route.pass();
      await Promise.all(halls.map((hall) => hall.end()));
      await stop();
    }
  },
};

const removed: Row = {
  name: 'the node is removed from its cluster',
  engines: ['redis'],
  run: async () => {
    const nodes = await startRedisCluster(3);
    const leaver = await startClusterNode();
    let client: Cluster | undefined;
    const buses: Bus[] = [];
    const purgatories: Purgatory<string>[] = [];
    try {
      manage('add-node', addressOf(leaver), addressOf(nodes[0]));
      const [leaving, staying] = [leaver, nodes[0]].map(({ port }) => idOf(port));
      await msUntil('the node knows the others', () => knowsAllSlots(leaver.port));
      moveSlots(nodes[0], staying, leaving);
      await msUntil('all agree', () => [...nodes, leaver].every(({ port }) => knowsAllSlots(port)));
      client = new Cluster([{ host: '127.0.0.1', port: leaver.port }]);
      client.on('error', () => {});
      await once(client, 'ready');
      do {
        const bus = redisBus(client, { echoMs: ECHO_MS, onError: () => {} });
        buses.push(bus);
        purgatories.push(new Purgatory('removed', { bus }));
        await msUntil('all are live', () => buses.every(({ state }) => state === 'live'));
      } while (!hears(leaver.port, 'purgatory') || buses.length < 2);
      moveSlots(nodes[0], leaving, staying);
      manage('del-node', addressOf(nodes[0]), leaving);
      const left = await msUntil('nobody is live there', () => !hears(leaver.port, 'purgatory'));
      let isTrue = false;
      const waits = purgatories.map((each) => each.waitFor(['k'], () => isTrue, { timeoutMs: LONG_MS }));
      const live = await msUntil('all are live', () => buses.every(({ state }) => state === 'live'));
      isTrue = true;
      purgatories[0].notify('k');
      const beganMs = performance.now();
      await Promise.all(waits);
      return [
        { what: `left by all (echo ${ECHO_MS})`, measured: left, unit: 'ms', bar: 2 * ECHO_MS },
        { what: '... until all are live elsewhere', measured: live, unit: 'ms', bar: 3_000 },
        { what: 'a hint reaches all', measured: performance.now() - beganMs, unit: 'ms', bar: 100 },
      ];
    } finally {
      for (const purgatory of purgatories) purgatory.close();
      await Promise.all(buses.map((bus) => bus.close()));
      client?.disconnect();
      for (const node of [...nodes, leaver]) await node.stop();
    }
  },
};

export const UNFIT_ROWS: readonly Row[] = [narrowed, split, removed];
