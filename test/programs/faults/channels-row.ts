// All 65,536 channels in one process: what they take, and that breaks of the connection end in time.
//
// Ground rules. The process that watches is this one. A wait is parked for each channel, and no
// more, so that the memory of both routings can be compared.
import { setTimeout as sleep } from 'node:timers/promises';
import { CHANNELS, channelOf, seedOf } from '../../../src/bus/interest/channels.ts';
import type { Routing } from '../../../src/bus/membership/bus-member.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { turn } from '../../support/turns.ts';
import { type EngineView, withView } from './engine-view.ts';
import { Hall, isFullSize, LONG_MS, msUntil, never } from './hall.ts';
import { LoopProbe } from './loop-probe.ts';
import type { Result, Row } from './row.ts';

const LINGER_MS = 500;
const LOAD_MS = 2;
const OUTAGE_MS = 1_000;

/** A key for each of the first `count` channels that keys fall into. */
function keysOfChannels(count: number): string[] {
  const seed = seedOf('hall');
  const found = new Set<number>();
  const keys: string[] = [];
  for (let n = 0; found.size < count; n++) {
    const channel = channelOf(seed, `${n}`);
    if (found.size < found.add(channel).size) keys.push(`${n}`);
  }
  return keys;
}

/** What went before takes some turns to be given back. */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await sleep(100);
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function parked(engine: string, port: number, routing: Routing, keys: string[]): Promise<Hall> {
  const hall = await Hall.open(engine, port, 2, { routing, lingerMs: LINGER_MS, prefix: routing });
  const [purgatory] = hall.purgatories;
  for (const [n, key] of keys.entries()) {
    void purgatory.waitFor([key], never, { timeoutMs: LONG_MS }).catch(never);
    if (n % 2_000 === 0) await turn();
  }
  await turn();
  await hall.live();
  return hall;
}

async function memory(view: EngineView, port: number, routing: Routing, keys: string[]): Promise<number[]> {
  const [here, there] = [await heldBytes(), view.residentBytes()];
  const hall = await parked(view.name, port, routing, keys);
  const taken = [(await heldBytes()) - here, view.residentBytes() - there];
  await hall.end();
  return taken;
}

/** From the return of the engine until the bus is live, and has tried all that is parked. */
async function swept(hall: Hall, breakIt: () => Promise<unknown>): Promise<number> {
  const [bus] = hall.buses;
  const gaps = (): number => Object.values(bus.snapshot().totals.gaps).reduce((sum, count) => sum + count, 0);
  const before = { gaps: gaps(), sweeps: bus.snapshot().totals.sweeps };
  await breakIt();
  return msUntil('live and swept', () => {
    const { totals, state, lastSweep } = bus.snapshot();
    const isSwept = totals.sweeps > before.sweeps && lastSweep?.endedMs !== null;
    return gaps() > before.gaps && state === 'live' && isSwept;
  });
}

async function breaks(view: EngineView, keys: string[]): Promise<Result[]> {
  const hall = await parked(view.name, view.proxy.port, 'interest', keys);
  const [purgatory, writer] = hall.purgatories;
  let next = 0;
  const load = setInterval(() => writer.notify(keys[next++ % keys.length]), LOAD_MS);
  const probe = new LoopProbe();
  const blocks: number[] = [];
  const timed = async (breakIt: () => Promise<unknown>): Promise<number> => {
    await sleep(1_000);
    probe.start();
    const ms = await swept(hall, breakIt);
    probe.stop();
    blocks.push(probe.maxBlockMs);
    return ms;
  };
  const killed = await timed(() => view.killSubscribers());
  const crashed = await timed(async () => {
    await view.engine.kill();
    view.proxy.sever();
    await sleep(OUTAGE_MS);
    await view.engine.start();
  });
  clearInterval(load);
  const { subscriptions } = hall.buses[0].snapshot();
  purgatory.close();
  const OF_THE_PREFIX = view.name === 'redis' ? 1 : hall.buses.length;
  const left = await msUntil('the channels are gone', async () => (await view.channels()) <= OF_THE_PREFIX);
  await hall.end();
  const kill = view.name === 'redis' ? '`CLIENT KILL`' : 'connections cut';
  return [
    { what: 'channels that were subscribed again', measured: subscriptions, unit: '', least: keys.length },
    { what: `${kill}: live again and swept`, measured: killed, unit: 'ms', bar: 3_000 },
    { what: '... longest block of the loop', measured: blocks[0], unit: 'ms', bar: 30 },
    { what: '`kill -9`, after its return', measured: crashed, unit: 'ms', bar: 3_000 },
    { what: '... longest block of the loop', measured: blocks[1], unit: 'ms', bar: 30 },
    {
      what: `lingerMs ${LINGER_MS} after the last wait: the engine has no channel left`,
      measured: left,
      unit: 'ms',
      bar: LINGER_MS + 3_000,
    },
  ];
}

export const channels: Row = {
  name: 'all channels',
  engines: ['redis', 'nats'],
  run: (engine, scale) =>
    withView(engine, async (view, port) => {
      const keys = keysOfChannels(isFullSize(scale.parked) ? CHANNELS : 5_000);
      await memory(view, port, 'broadcast', keys.slice(0, 100)); // what is made once
      const [hereAll, thereAll] = await memory(view, port, 'broadcast', keys);
      const [here, there] = await memory(view, port, 'interest', keys);
      const what = `${keys.length.toLocaleString('en')} channels`;
      return [
        { what: `${what}: memory in the process`, measured: (here - hereAll) / 2 ** 20, unit: 'MB' },
        { what: '... in the engine', measured: (there - thereAll) / 2 ** 20, unit: 'MB' },
        ...(await breaks(view, keys)),
      ];
    }),
};
