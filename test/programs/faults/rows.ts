// The rows of the table. Each prepares a scene, breaks something, and measures.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { BusOptions } from '../../../src/bus/bus-options.ts';
import type { Routing } from '../../../src/bus/membership/bus-member.ts';
import { type EngineName, Fleet } from './fleet.ts';
import type { Report } from './member.ts';
import { percentile, type Result, type Row, type Scale } from './row.ts';
import { commonNow } from './shared-state.ts';

const SERVERS: readonly EngineName[] = ['redis', 'nats', 'postgres'];
const ALL: readonly EngineName[] = [...SERVERS, 'cluster'];

const latenciesOf = (reports: readonly Report[]): number[] =>
  reports.flatMap(({ latencies }) => latencies).sort((x, y) => x - y);

/** Results that must hold in any fault run. */
function always(reports: readonly Report[]): Result[] {
  const sum = (of: (report: Report) => number): number =>
    reports.reduce((all, report) => all + of(report), 0);
  return [
    {
      what: 'waits expired though true for 15 s',
      measured: sum((r) => r.expiredThoughTrue),
      unit: '',
      bar: 0,
    },
    { what: 'throws of publishers', measured: sum((r) => r.thrown), unit: '', bar: 0 },
    { what: 'unhandled rejections', measured: sum((r) => r.unhandled), unit: '', bar: 0 },
  ];
}

const noneOverdue = (reports: Report[]): boolean => reports.every(({ overdue }) => overdue === 0);

/** The routing of all buses of a run. */
let routing: Routing = 'broadcast';

/** A bus routes a flush when it has no more hints than it knows other buses. */
const membersFor = (hints: number): number => (routing === 'interest' ? hints + 2 : 2);

/** What share of all hints of a member was routed. */
function routedShare({ routed, broadcast }: Report): Result[] {
  if (routing === 'broadcast') return [];
  return [
    { what: '... share of the hints that was routed', measured: routed / (routed + broadcast), unit: '' },
  ];
}

export function setRouting(to: Routing): void {
  routing = to;
}

async function withFleet(
  engine: EngineName,
  scale: Scale,
  use: (fleet: Fleet) => Promise<Result[]>,
  options: BusOptions = {},
): Promise<Result[]> {
  const isRouting = routing === 'interest';
  const given: BusOptions = { routing, ...(isRouting && { echoMs: 1_000 }), ...options };
  const { parked, members, timeoutMs } = scale;
  const fleet = await new Fleet(engine, parked).start(members, given, members, timeoutMs);
  try {
    // A bus broadcasts for 1.25 x echoMs after it has become live.
    if (isRouting) await sleep(1.3 * (given.echoMs ?? 0));
    return await use(fleet);
  } finally {
    await fleet.end();
  }
}

const latency: Row = {
  name: 'A to B',
  engines: [...ALL, 'workers'],
  run: (engine, scale) =>
    withFleet(engine, { ...scale, members: membersFor(6), parked: 1_000 * membersFor(6) }, async (fleet) => {
      const [a, b] = fleet.members;
      await fleet.order(a, { do: 'load', from: 1_000, to: 2_000, rate: 2_000 });
      await sleep(1_000);
      await fleet.all({ do: 'begin' });
      await sleep(scale.seconds.load * 1_000);
      const { latencies } = await fleet.order(b, { do: 'report', latencies: true });
      const sender = await fleet.order(a, { do: 'rest' });
      const bar = engine === 'postgres' ? 40 : 15;
      const measured = percentile(latencies, 0.99);
      return [
        { what: '2,000 hints/s, p99 from notify to answer', measured, unit: 'ms', bar },
        { what: '... p50', measured: percentile(latencies, 0.5), unit: 'ms', bar },
        ...routedShare(sender),
      ];
    }),
};

const throughput: Row = {
  name: 'hot keys',
  engines: ALL,
  run: (engine, scale) =>
    withFleet(engine, { ...scale, members: membersFor(10), parked: membersFor(10) }, async (fleet) => {
      const [a] = fleet.members;
      await fleet.order(a, { do: 'load', from: 0, to: 0, rate: 100_000, hot: 10 });
      await sleep(1_000);
      await fleet.all({ do: 'begin' });
      await sleep(scale.seconds.load * 1_000);
      const report = await fleet.order(a, { do: 'report' });
      await fleet.order(a, { do: 'rest' });
      const what = '100,000 hints/s of 10 keys, share of a core';
      return [{ what, measured: report.cpu, unit: '', bar: 0.5 }, ...routedShare(report)];
    }),
};

const killed: Row = {
  name: 'kill -9 of the engine',
  engines: SERVERS,
  run: (engine, scale) =>
    withFleet(engine, scale, async (fleet) => {
      await fleet.load(scale.rate);
      await sleep(2_000);
      await fleet.all({ do: 'begin' });
      await fleet.engine?.kill();
      fleet.proxy?.sever();
      await sleep(3_000);
      await fleet.engine?.start();
      const returnedMs = performance.now();
      await fleet.all({ do: 'rest' });
      await fleet.until('all that can be answered is', noneOverdue);
      const measured = performance.now() - returnedMs;
      const reports = await fleet.all({ do: 'report' });
      return [
        { what: 'all answered after its return', measured, unit: 'ms', bar: 3_000 },
        {
          what: 'longest block of a loop by its own work',
          measured: Math.max(...reports.map((r) => r.maxBlockMs)),
          unit: 'ms',
          bar: 30,
        },
        ...always(reports),
      ];
    }),
};

/** Kills the connections that subscribe, as an operator would. */
async function killSubscribers(fleet: Fleet): Promise<void> {
  const port = fleet.engine?.port as number;
  if (fleet.engineName === 'redis') {
    const admin = new Redis(port, '127.0.0.1');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    admin.disconnect();
  } else if (fleet.engineName === 'postgres') {
    const admin = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
    await admin.connect();
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );
    await admin.end();
  } else {
    fleet.proxy?.sever();
  }
}

const connections: Row = {
  name: 'connections killed every 500 ms',
  engines: SERVERS,
  run: (engine, scale) =>
    withFleet(engine, scale, async (fleet) => {
      await fleet.load(scale.rate);
      await sleep(1_000);
      const before = await fleet.all({ do: 'begin' });
      for (let kill = 0; kill < scale.seconds.kills * 2; kill++) {
        await killSubscribers(fleet);
        await sleep(500);
      }
      await fleet.all({ do: 'rest' });
      const measured = await fleet.until('nothing is lost', noneOverdue);
      await fleet.all({ do: 'begin' });
      const reports = await fleet.all({ do: 'report' });
      const growth = reports.map((r, index) => (r.heapBytes - before[index].heapBytes) / 2 ** 20);
      return [
        { what: 'all answered after the last kill', measured, unit: 'ms', bar: 3_000 },
        { what: 'growth of a heap', measured: Math.max(0, ...growth), unit: 'MB', bar: 10 },
        ...always(reports),
      ];
    }),
};

const silence: Row = {
  name: 'the engine is stopped',
  engines: SERVERS,
  run: async (engine, scale) => {
    const [echoMs, echoTimeoutMs] = scale.parked >= 100_000 ? [5_000, 5_000] : [1_000, 1_000];
    return withFleet(
      engine,
      { ...scale, parked: 1_000 },
      async (fleet) => {
        await sleep(echoMs / 2);
        const stoppedMs = commonNow();
        // With PostgreSQL, each connection is a process of its own. So the network goes silent
        // instead.
        const pid = engine === 'postgres' ? undefined : fleet.engine?.pid;
        if (pid === undefined) fleet.proxy?.swallow();
        else process.kill(pid, 'SIGSTOP');
        await fleet.until('all notice', (reports) => reports.every(({ state }) => state !== 'live'));
        const noticed = await fleet.all({ do: 'report' });
        await fleet.load(500);
        await sleep(1_000);
        if (pid === undefined) {
          fleet.proxy?.pass();
          fleet.proxy?.sever();
        } else process.kill(pid, 'SIGCONT');
        await fleet.all({ do: 'rest' });
        const back = await fleet.until(
          'all are answered',
          (reports) => noneOverdue(reports) && reports.every((r) => r.state === 'live'),
        );
        const latest = Math.max(...noticed.map(({ gapMs }) => gapMs ?? Number.POSITIVE_INFINITY));
        return [
          {
            what: `noticed by all (echo ${echoMs} + ${echoTimeoutMs})`,
            measured: latest - stoppedMs,
            unit: 'ms',
            bar: echoMs + echoTimeoutMs,
          },
          { what: 'all answered after it goes on', measured: back, unit: 'ms', bar: 3_000 },
          ...always(await fleet.all({ do: 'report' })),
        ];
      },
      { echoMs, echoTimeoutMs },
    );
  },
};

/** As NAT does that forgets its connections: nothing is closed, and new connections work. */
const halfOpen: Row = {
  name: 'connections half open',
  engines: SERVERS,
  run: (engine, scale) =>
    withFleet(engine, { ...scale, parked: 10_000, timeoutMs: 16_000 }, async (fleet) => {
      await fleet.load(scale.rate);
      await sleep(1_000);
      fleet.proxy?.forget();
      const brokenMs = performance.now();
      await sleep(1_000);
      await fleet.all({ do: 'rest' });
      await fleet.until('all are answered', noneOverdue);
      const measured = performance.now() - brokenMs;
      await fleet.until('all are live', (reports) => reports.every(({ state }) => state === 'live'));
      await sleep(18_000 - (performance.now() - brokenMs)); // the deadlines of all waits have come
      const reports = await fleet.all({ do: 'report' });
      return [
        { what: 'all answered after the break (echo 5000 + 5000)', measured, unit: 'ms', bar: 12_000 },
        ...always(reports),
      ];
    }),
};

const stoppedMember: Row = {
  name: 'one process is stopped',
  engines: ALL,
  run: (engine, scale) =>
    withFleet(engine, { ...scale, parked: Math.min(scale.parked, 20_000) }, async (fleet) => {
      const [stopped, ...others] = fleet.members;
      await fleet.load(scale.rate, others);
      await sleep(1_000);
      const p99 = async (seconds: number): Promise<number> => {
        await Promise.all(others.map((worker) => fleet.order(worker, { do: 'begin' })));
        await sleep(seconds * 1_000);
        return percentile(
          latenciesOf(
            await Promise.all(others.map((w) => fleet.order(w, { do: 'report', latencies: true }))),
          ),
          0.99,
        );
      };
      const before = await p99(scale.seconds.load);
      const pid = stopped.process.pid as number;
      process.kill(pid, 'SIGSTOP');
      const during = await p99(scale.seconds.stop);
      await Promise.all(others.map((worker) => fleet.order(worker, { do: 'rest' })));
      process.kill(pid, 'SIGCONT');
      const measured = await fleet.until('it has caught up', noneOverdue, 30_000, [stopped]);
      return [
        { what: 'caught up after it goes on', measured, unit: 'ms', bar: 1_000 },
        { what: "the others' p99, against before", measured: during / before, unit: '', bar: 1.2 },
        ...always(await fleet.all({ do: 'report' })),
      ];
    }),
};

const idle: Row = {
  name: 'idle',
  engines: ALL,
  run: (engine, scale) =>
    withFleet(
      engine,
      scale,
      async (fleet) => {
        await sleep(2_000);
        const before = await fleet.all({ do: 'begin', quiet: true });
        await sleep(scale.seconds.idle * 1_000);
        const after = await fleet.all({ do: 'report' });
        const frames = after.map((r, index) => r.framesSent - before[index].framesSent);
        return [
          { what: 'share of a core', measured: Math.max(...after.map((r) => r.cpu)), unit: '', bar: 0.01 },
          {
            what: 'frames of a process',
            measured: Math.max(...frames),
            unit: '',
            bar: Math.ceil(scale.seconds.idle / 5) + 1,
          },
        ];
      },
      { echoMs: 5_000 },
    ),
};

const sharedWaits: Row = {
  name: 'waiters of one key',
  engines: ALL,
  run: (engine, scale) =>
    withFleet(engine, { ...scale, members: 2, parked: 1 }, async (fleet) => {
      const waiters = scale.parked;
      const inVain = 10;
      const tried = async (times: number): Promise<unknown> =>
        fleet.until('all have been tried', (reports) =>
          reports.every(({ shared }) => shared.tries >= times * waiters),
        );
      await fleet.all({ do: 'share', waiters, version: inVain + 1 });
      await tried(1);
      const before = await fleet.all({ do: 'begin' });
      for (let hint = 1; hint <= inVain; hint++) {
        await fleet.order(fleet.members[0], { do: 'change' });
        await tried(hint + 1);
      }
      await fleet.order(fleet.members[0], { do: 'change' });
      const answered = await fleet.until('all are answered', (reports) =>
        reports.every(({ shared }) => shared.answered === waiters),
      );
      const after = await fleet.all({ do: 'report' });
      const loads = after.map(({ shared }, index) => shared.loads - before[index].shared.loads);
      return [
        {
          what: `${waiters.toLocaleString('en')} in each process: loads a process and hint`,
          measured: Math.max(...loads) / (inVain + 1),
          unit: '',
          bar: 2,
        },
        { what: 'all answered after the last hint', measured: answered, unit: 'ms', bar: 3_000 },
        {
          what: 'longest block of a loop by its own work',
          measured: Math.max(...after.map((r) => r.maxBlockMs)),
          unit: 'ms',
          bar: 30,
        },
        ...always(after),
      ];
    }),
};

export const ROWS: readonly Row[] = [
  latency,
  throughput,
  killed,
  connections,
  silence,
  halfOpen,
  stoppedMember,
  sharedWaits,
  idle,
];
