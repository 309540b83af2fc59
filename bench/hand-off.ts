/**
 * A semaphore whose units are handed over 100,000 times, beside async-sema. ns of CPU a hand-off: a
 * wait, a release, and what the answered does.
 *
 *   queue          all ask at once, and each releases what it gets
 *   queue, 10 us   each of 10,000 works for 10 us before
 *   again          a thousand workers: each releases, and asks again
 *   free           a unit is free each time: nobody waits
 */
import { Sema } from 'async-sema';
import { Purgatory } from 'purgatory';
import { cpuNs, turn } from './harness/measure.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';

const HAND_OFFS = 100_000;
const UNITS = 10;
const WORKERS = 1_000;
const WORK_NS = 10_000n;

interface Semaphore {
  acquire(): Promise<unknown>;
  release(): void;
}

/** As docs/recipes/hand-off.md does it. */
function inTurn(timeoutMs: number): Semaphore {
  const purgatory = new Purgatory('bench');
  let free = UNITS;
  const take = (): boolean => free > 0 && free-- > 0;
  return {
    acquire: () => purgatory.waitFor(['free'], take, { timeoutMs, inTurn: true }),
    release() {
      free++;
      purgatory.notify('free', { atMost: 1 });
    },
  };
}

function work(): void {
  const end = process.hrtime.bigint() + WORK_NS;
  while (process.hrtime.bigint() < end);
}

/** `asking` at once, `each` times each; ns of CPU a hand-off. */
async function handOffs(
  semaphore: Semaphore,
  asking: number,
  each: number,
  isWorking = false,
): Promise<number> {
  let done = 0;
  const ask = async (): Promise<void> => {
    for (let i = 0; i < each; i++) {
      await semaphore.acquire();
      if (isWorking) work();
      semaphore.release();
    }
    done++;
  };
  const startNs = cpuNs();
  for (let i = 0; i < asking; i++) void ask();
  while (done < asking) await turn();
  return (cpuNs() - startNs) / (asking * each);
}

function handing(make: () => Semaphore): System {
  return async ({ size: full, quick }: Run): Promise<Measured> => {
    const size = quick ? full / 10 : full;
    const runs: Record<string, () => Promise<number>> = {
      queue: () => handOffs(make(), size, 1),
      'queue, 10 us': () => handOffs(make(), size / 10, 1, true),
      again: () => handOffs(make(), WORKERS, size / WORKERS),
      free: () => handOffs(make(), 1, size),
    };
    const measured: Measured = {};
    for (const [metric, run] of Object.entries(runs)) {
      if (!quick) await run();
      measured[metric] = await run();
    }
    return measured;
  };
}

const PEER = 'async-sema';
const NO_DEADLINE = 'purgatory, no deadline';

const row = (
  title: string,
  metric: string,
  more: Partial<Workload['rows'][number]> = {},
): Workload['rows'][number] => ({
  title: `hand-off, ${title}`,
  size: HAND_OFFS,
  metric,
  peer: PEER,
  ...more,
});

export const handOff: Workload = {
  name: 'hand-off',
  title: 'A semaphore of ten units, handed over in turn',
  unit: 'ns',
  sizeLabel: 'hand-offs',
  sizes: { full: [HAND_OFFS], quick: [HAND_OFFS] },
  rounds: 5,
  systems: {
    purgatory: handing(() => inTurn(30_000)),
    [NO_DEADLINE]: handing(() => inTurn(Number.POSITIVE_INFINITY)),
    [PEER]: handing(() => new Sema(UNITS)),
  },
  rows: [
    row('all ask at once', 'queue', { bar: { ratio: 1 } }),
    row('all ask at once, without deadlines', 'queue', { system: NO_DEADLINE }),
    row('all ask at once, with 10 us of work each', 'queue, 10 us', { bar: { ratio: 1 } }),
    row('a thousand workers release, and ask again', 'again'),
    row('a unit is free each time', 'free'),
  ],
};
