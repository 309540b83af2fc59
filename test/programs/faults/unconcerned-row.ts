// What hints cost a process that they do not concern. Eight processes watch all keys, and change
// each other's. A ninth watches nothing, and its CPU time is what counts.
//
// Ground rules. Ten processes on two cores do not reach 100,000 hints a second. So they are paced,
// and the time is that of so many hints, however long they take.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Routing } from '../../../src/bus/membership/bus-member.ts';
import { type EngineName, Fleet } from './fleet.ts';
import { isFullSize } from './hall.ts';
import type { Row } from './row.ts';

const WATCHING = 8;
const ECHO_MS = 1_000;
/** A slower machine makes fewer hints. */
const LIMIT_MS = 8_000;

/** For 100,000 hints. */
interface Cost {
  readonly cpuMs: number;
  readonly routed: number;
  readonly hintsASecond: number;
}

interface Shape {
  readonly hints: number;
  readonly rate: number;
  /** How each process notifies. */
  readonly how: { everyMs?: number; atMost?: number };
}

async function costsOf(
  engine: EngineName,
  routing: Routing,
  keys: number,
  shapes: readonly Shape[],
): Promise<Cost[]> {
  const fleet = new Fleet(engine, keys);
  try {
    await fleet.start(WATCHING + 1, { routing, echoMs: ECHO_MS }, WATCHING);
    await fleet.until('all is acknowledged', (reports) =>
      reports.every(({ acknowledgementsPending }) => acknowledgementsPending === 0),
    );
    await sleep(1.5 * ECHO_MS);
    const costs: Cost[] = [];
    for (const shape of shapes) costs.push(await costOf(fleet, shape));
    return costs;
  } finally {
    await fleet.end();
  }
}

async function costOf(fleet: Fleet, { hints, rate, how }: Shape): Promise<Cost> {
  const watching = fleet.members.slice(0, WATCHING);
  const [other] = fleet.members.slice(WATCHING);
  const sent = async (): Promise<{ routed: number; all: number }> => {
    const reports = await Promise.all(watching.map((worker) => fleet.order(worker, { do: 'report' })));
    const routed = reports.reduce((sum, report) => sum + report.routed, 0);
    return { routed, all: reports.reduce((sum, report) => sum + report.broadcast, routed) };
  };
  const before = await sent();
  await fleet.order(other, { do: 'begin', quiet: true });
  const beganMs = performance.now();
  await fleet.load(rate, watching, how);
  let now = before;
  while (now.all - before.all < hints && performance.now() - beganMs < LIMIT_MS) {
    await sleep(100);
    now = await sent();
  }
  const seconds = (performance.now() - beganMs) / 1_000;
  await Promise.all(watching.map((worker) => fleet.order(worker, { do: 'rest' })));
  await sleep(200);
  const { cpuMs } = await fleet.order(other, { do: 'report' });
  const all = now.all - before.all;
  return {
    cpuMs: (cpuMs * 100_000) / all,
    routed: (now.routed - before.routed) / all,
    hintsASecond: all / seconds,
  };
}

export const unconcerned: Row = {
  name: 'a process that is not concerned',
  engines: ['redis', 'nats'],
  run: async (engine, { parked }) => {
    const keys = isFullSize(parked) ? 100_000 : 8_000;
    const few: Shape = isFullSize(parked)
      ? { hints: 100_000, rate: 12_000, how: { atMost: 4 } }
      : { hints: 5_000, rate: 4_000, how: { atMost: 4 } };
    // Each process notifies some thousands of keys in one turn, now and then.
    const many = { ...few, how: { everyMs: isFullSize(parked) ? 2_000 : 500 } };
    const shape = `${keys.toLocaleString('en')} keys, each watched by one of ${WATCHING} processes`;
    // The bursts come first: by then, neither process has read hints that would warm it up.
    const [allBurst, all] = await costsOf(engine, 'broadcast', keys, [many, few]);
    const [burst, some] = await costsOf(engine, 'interest', keys, [many, few]);
    return [
      {
        what: `${shape}: CPU of 100,000 hints, few a turn, where nobody waits, by broadcast`,
        measured: all.cpuMs,
        unit: 'ms',
      },
      { what: '... by interest', measured: some.cpuMs, unit: 'ms' },
      { what: '... of broadcast', measured: some.cpuMs / all.cpuMs, unit: '', bar: 0.2 },
      { what: '... share of the hints that was routed', measured: some.routed, unit: '' },
      { what: '... hints/s reached', measured: some.hintsASecond, unit: '' },
      { what: 'the same, thousands a turn: of broadcast', measured: burst.cpuMs / allBurst.cpuMs, unit: '' },
      { what: '... share of the hints that was routed', measured: burst.routed, unit: '' },
    ];
  },
};
