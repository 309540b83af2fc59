// The rows of the table. Each breaks something, and measures. A row sleeps for as long as a load or
// an outage lasts; for what has to come about, it waits.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineName, Fleet } from './fleet.ts';
import type { Report } from './member.ts';

/** One measured number. */
export interface Result {
  readonly what: string;
  readonly measured: number;
  /** The most that is allowed. Undefined: the number is written down, and has no bar. */
  readonly bar?: number;
}

export interface Scale {
  /** The number of parked waits, all members together. */
  readonly parked: number;
  readonly members: number;
  /** Changes a second of all members together. */
  readonly rate: number;
  /** How long a load lasts. */
  readonly seconds: number;
  /** The deadline of the waits, in ms. Default 300,000: none comes. */
  readonly timeoutMs?: number;
}

export interface Row {
  readonly name: string;
  readonly engines: readonly EngineName[];
  /** Where it is not that of the run. */
  readonly scale?: Partial<Scale>;
  run(fleet: Fleet, scale: Scale): Promise<Result[]>;
}

const SERVERS: readonly EngineName[] = ['redis', 'nats', 'postgres'];

/** What must hold in any fault run. */
function always(reports: readonly Report[]): Result[] {
  const sum = (of: (report: Report) => number): number =>
    reports.reduce((all, report) => all + of(report), 0);
  return [
    { what: 'waits expired though true for 15 s', measured: sum((r) => r.expiredThoughTrue), bar: 0 },
    { what: 'throws of publishers', measured: sum((r) => r.thrown), bar: 0 },
    { what: 'unhandled rejections', measured: sum((r) => r.unhandled), bar: 0 },
  ];
}

const noneOverdue = (reports: Report[]): boolean => reports.every(({ overdue }) => overdue === 0);

function percentile(unsorted: readonly number[], share: number): number {
  const sorted = [...unsorted].sort((x, y) => x - y);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY;
}

export const ROWS: readonly Row[] = [
  {
    name: 'A to B',
    engines: [...SERVERS, 'cluster', 'workers'],
    scale: { members: 2, parked: 2_000 },
    async run(fleet, { seconds }) {
      const [a, b] = fleet.members;
      await fleet.order(a, { do: 'load', from: 1_000, to: 2_000, rate: 2_000 });
      await sleep(1_000);
      await fleet.all({ do: 'begin' });
      await sleep(seconds * 1_000);
      const { latencies } = await fleet.order(b, { do: 'report', latencies: true });
      await fleet.order(a, { do: 'rest' });
      const bar = fleet.engineName === 'postgres' ? 40 : 15;
      return [
        { what: '2,000 hints/s, p99 from notify to answer, ms', measured: percentile(latencies, 0.99), bar },
        { what: '... p50, ms', measured: percentile(latencies, 0.5) },
      ];
    },
  },
  {
    name: 'hot keys',
    engines: [...SERVERS, 'cluster'],
    scale: { members: 2, parked: 2 },
    async run(fleet, { seconds }) {
      const [a] = fleet.members;
      await fleet.order(a, { do: 'load', from: 0, to: 0, rate: 100_000, hot: 10 });
      await sleep(1_000);
      await fleet.all({ do: 'begin' });
      await sleep(seconds * 1_000);
      const { cpu } = await fleet.order(a, { do: 'report' });
      await fleet.order(a, { do: 'rest' });
      return [{ what: '100,000 hints/s of 10 keys, share of a core', measured: cpu, bar: 0.5 }];
    },
  },
  {
    name: 'kill -9 of the engine',
    engines: SERVERS,
    async run(fleet, { rate }) {
      await fleet.load(rate);
      await sleep(2_000);
      await fleet.engine?.kill();
      fleet.proxy?.sever();
      await sleep(3_000);
      await fleet.engine?.start();
      const returnedMs = performance.now();
      await fleet.all({ do: 'rest' });
      await fleet.until('all that can be answered is', noneOverdue);
      const measured = performance.now() - returnedMs;
      return [
        { what: 'all answered after its return, ms', measured, bar: 3_000 },
        ...always(await fleet.all({ do: 'report' })),
      ];
    },
  },
  {
    // As NAT does that forgets its connections: nothing is closed, and new connections work.
    name: 'connections half open',
    engines: SERVERS,
    scale: { parked: 10_000, timeoutMs: 16_000 },
    async run(fleet, { rate }) {
      await fleet.load(rate);
      await sleep(1_000);
      fleet.proxy?.forget();
      const brokenMs = performance.now();
      await sleep(1_000);
      await fleet.all({ do: 'rest' });
      await fleet.until('all are answered', noneOverdue);
      const measured = performance.now() - brokenMs;
      await fleet.until('all are live', (reports) => reports.every(({ state }) => state === 'live'));
      await sleep(18_000 - (performance.now() - brokenMs)); // the deadlines of all waits have come
      return [
        { what: 'all answered after the break (echo 5000 + 5000), ms', measured, bar: 12_000 },
        ...always(await fleet.all({ do: 'report' })),
      ];
    },
  },
  {
    name: 'one process is stopped',
    engines: [...SERVERS, 'cluster'],
    async run(fleet, { rate, seconds }) {
      const [stopped, ...others] = fleet.members;
      await fleet.load(rate, others);
      await sleep(1_000);
      process.kill(stopped.process.pid as number, 'SIGSTOP');
      await sleep(seconds * 1_000);
      await Promise.all(others.map((worker) => fleet.order(worker, { do: 'rest' })));
      process.kill(stopped.process.pid as number, 'SIGCONT');
      const measured = await fleet.until('it has caught up', noneOverdue, [stopped]);
      return [
        { what: 'all answered after it goes on, ms', measured, bar: 1_000 },
        ...always(await fleet.all({ do: 'report' })),
      ];
    },
  },
];
