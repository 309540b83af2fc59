/**
 * N waiters of one key, and hints on it, most of them in vain: the longest time for which the event
 * loop gets to nothing else, in CPU time between two turns, as in `burst`. What the answered do
 * next, a few microtasks each, is in it. Each burst of hints goes on during the load that it
 * causes, as on a busy key: one more load is to follow, and no third.
 */
import { SharedWaits } from 'purgatory/shared';
import { BlockWatch, nsPerStep, turn } from './harness/measure.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';

const bursts = 10;
const hintsPerBurst = 100;
/** How long the database takes, in turns of the event loop. */
const loadTurns = 10;

/** A key that is waited for, kept somewhere else. */
interface Key {
  isReady: boolean;
  loads: number;
  tries: number;
  wait(): Promise<unknown>;
  hint(): void;
}

async function load(key: Key): Promise<boolean> {
  key.loads++;
  const { isReady } = key;
  for (let i = 0; i < loadTurns; i++) await turn();
  return isReady;
}

function sharedWaits(): Key {
  const waits = new SharedWaits<boolean>('bench', {
    load: async (names) => {
      const isReady = await load(key);
      return new Map(names.map((name) => [name, isReady]));
    },
  });
  const accept = (isReady: boolean | undefined): true | undefined => {
    key.tries++;
    return isReady || undefined;
  };
  const key: Key = {
    isReady: false,
    loads: 0,
    tries: 0,
    wait: () => waits.waitUntil('key', accept, { timeoutMs: 600_000 }),
    hint: () => waits.changed('key'),
  };
  return key;
}

/** What users write by hand: one load for all here too, a list of waiters, and a loop over it. */
function byHand(): Key {
  let waiters: ((isReady: true) => void)[] = [];
  let isLoading = false;
  let isOutdated = false;
  async function loadForAll(): Promise<void> {
    isLoading = true;
    do {
      isOutdated = false;
      const isReady = await load(key);
      const tried = waiters;
      waiters = [];
      for (const resolve of tried) {
        key.tries++;
        if (isReady) resolve(true);
        else waiters.push(resolve);
      }
    } while (isOutdated);
    isLoading = false;
  }
  const key: Key = {
    isReady: false,
    loads: 0,
    tries: 0,
    wait: () =>
      new Promise((resolve) => {
        waiters.push(resolve);
      }),
    hint() {
      if (isLoading) isOutdated = true;
      else void loadForAll();
    },
  };
  return key;
}

function longestBlock(make: () => Key): System {
  return async ({ size }: Run): Promise<Measured> => {
    const key = make();
    let answered = 0;
    await nsPerStep(size, () => {
      key.wait().then((result) => {
        if (JSON.stringify(result) !== '') answered++;
      });
    });
    for (let i = 0; i < 10 * loadTurns; i++) await turn();
    globalThis.gc?.();
    const watch = new BlockWatch();
    const loadsBefore = key.loads;
    for (let burst = 0; burst < bursts; burst++) {
      key.isReady = burst === bursts - 1;
      const tries = key.tries;
      for (let i = 0; i < hintsPerBurst; i++) {
        key.hint();
        if (i % 20 === 0) await watch.turn();
      }
      while (key.isReady ? answered < size : key.tries < tries + 2 * size) await watch.turn();
    }
    return { block: watch.longestMs, loads: (key.loads - loadsBefore) / bursts };
  };
}

export const shared: Workload = {
  name: 'shared',
  title: 'Waiters of one key of shared state, and hints on it',
  unit: 'ms',
  sizeLabel: 'waiters',
  sizes: { full: [1_000, 100_000], quick: [100_000] },
  nodeFlags: ['--expose-gc'],
  systems: { purgatory: longestBlock(sharedWaits), 'a list and a loop': longestBlock(byHand) },
  rows: [
    {
      title: '100k waiters of one key of shared state, hints on it: longest block of the event loop',
      size: 100_000,
      metric: 'block',
      peer: 'a list and a loop',
      bar: { value: 30 },
      aim: { value: 10 },
    },
    {
      title: 'the same: loads for a burst of 100 hints',
      size: 100_000,
      metric: 'loads',
      unit: '',
      bar: { value: 2 },
    },
  ],
};
