/**
 * The drop-in timers beside Node's own, in a server that is busy: 16 connections ask it by HTTP,
 * each again as soon as it was answered.
 *
 * `burst`: N timers of one delay, started in a loop. From the run of the first to the run of the
 * last, with the requests that are served between them. `block`: the longest time meanwhile between two turns of
 * the event loop. Both are CPU time, so what other programs take of the core does not count.
 * `chain`: 500 timers of 1 ms, each started by the one before, in a server that is idle.
 */
import { Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as dropIn } from 'purgatory/timers';
import { BlockWatch, cpuNs } from './harness/measure.ts';
import type { Measured, System, Workload } from './harness/types.ts';

type Start = (callback: () => void, delayMs: number) => unknown;

const connections = 16;
const delayMs = 500;
const chained = 500;

async function underLoad<T>(action: () => Promise<T>): Promise<T> {
  const server: Server = createServer((_, response) => response.end('well'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let isOver = false;
  const askOnAndOn = async (): Promise<void> => {
    while (!isOver) {
      await new Promise<void>((resolve) => {
        get({ port, host: '127.0.0.1', agent }, (response) => response.resume().on('end', resolve));
      });
    }
  };
  const asking = Promise.all(Array.from({ length: connections }, askOnAndOn));
  try {
    return await action();
  } finally {
    isOver = true;
    await asking;
    agent.destroy();
    server.close();
  }
}

/** Both in ms. */
async function runBurst(start: Start, size: number): Promise<{ burst: number; block: number }> {
  let ran = 0;
  let firstNs = 0;
  let endNs = 0;
  for (let i = 0; i < size; i++) {
    start(() => {
      ran++;
      if (ran === 1) firstNs = cpuNs();
      if (ran === size) endNs = cpuNs();
    }, delayMs);
  }
  await new Promise((resolve) => setTimeout(resolve, delayMs / 2));
  const watch = new BlockWatch();
  while (ran < size) await watch.turn();
  return { burst: (endNs - firstNs) / 1e6, block: watch.longestMs };
}

async function runChain(start: Start, count: number): Promise<number> {
  const startMs = performance.now();
  await new Promise<void>((resolve) => {
    let left = count;
    const next = (): void => {
      if (left-- === 0) resolve();
      else start(next, 1);
    };
    next();
  });
  return performance.now() - startMs;
}

function bursts(start: Start): System {
  return async ({ size, quick }): Promise<Measured> => {
    const measured = await underLoad(async () => {
      await runBurst(start, size); // compiles what runs
      return runBurst(start, size);
    });
    return { ...measured, chain: await runChain(start, quick ? chained / 5 : chained) };
  };
}

export const dropInTimers: Workload = {
  name: 'drop-in',
  title: 'The drop-in timers in a busy server',
  unit: 'ms',
  sizeLabel: 'timers due together',
  sizes: { full: [20_000], quick: [20_000] },
  rounds: 5,
  systems: { purgatory: bursts(dropIn), setTimeout: bursts(setTimeout) },
  rows: [
    {
      title: '20,000 drop-in timers due together, under HTTP load: until the last',
      size: 20_000,
      metric: 'burst',
      peer: 'setTimeout',
      bar: { ratio: 4 },
      aim: { ratio: 2 },
    },
    {
      title: '20,000 drop-in timers due together: longest block of the event loop',
      size: 20_000,
      metric: 'block',
      peer: 'setTimeout',
      bar: { value: 30 },
      aim: { value: 15 },
    },
    {
      title: '500 drop-in timers of 1 ms, one after the other',
      size: 20_000,
      metric: 'chain',
      peer: 'setTimeout',
      aim: { ratio: 2 },
    },
  ],
};
