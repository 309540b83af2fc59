// All 65,536 channels in one process: what they take.
//
// Ground rules. The process that watches is this one. A wait is parked for each channel, and no
// more, so that the memory of both routings can be compared.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHANNELS, channelOf, seedOf } from '../../../src/bus/interest/channels.ts';
import type { Routing } from '../../../src/bus/membership/bus-member.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import type { Engine } from '../../support/engines.ts';
import { turn } from '../../support/turns.ts';
import { Hall, isFullSize, LONG_MS, never, withEngine } from './hall.ts';
import type { Row } from './row.ts';

const LINGER_MS = 500;

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

/** The memory that a process takes of the machine. */
function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

async function memory(name: string, engine: Engine, routing: Routing, keys: string[]): Promise<number[]> {
  const [here, there] = [await heldBytes(), residentBytes(engine.pid)];
  const hall = await parked(name, engine.port, routing, keys);
  const taken = [(await heldBytes()) - here, residentBytes(engine.pid) - there];
  await hall.end();
  return taken;
}

export const channels: Row = {
  name: 'all channels',
  engines: ['redis', 'nats'],
  run: (name, scale) =>
    withEngine(name, async (engine) => {
      const keys = keysOfChannels(isFullSize(scale.parked) ? CHANNELS : 5_000);
      await memory(name, engine, 'broadcast', keys.slice(0, 100)); // what is made once
      const [hereAll, thereAll] = await memory(name, engine, 'broadcast', keys);
      const [here, there] = await memory(name, engine, 'interest', keys);
      const what = `${keys.length.toLocaleString('en')} channels`;
      return [
        { what: `${what}: memory in the process`, measured: (here - hereAll) / 2 ** 20, unit: 'MB' },
        { what: '... in the engine', measured: (there - thereAll) / 2 ** 20, unit: 'MB' },
      ];
    }),
};
