// A Semaphore of two units and two keys, in all short histories.
import { describeWith, fullRun } from '../support/needs.ts';
import { microtasks } from '../support/turns.ts';
import type { Act } from './lines-stage.ts';
import { type SemaphoreAct, SemaphoreStage } from './semaphore-stage.ts';

const NEVER = Number.POSITIVE_INFINITY;
const LENGTH = 4;

const acquire = (key: string, units: number, timeoutMs: number): SemaphoreAct => ({
  do: 'acquire',
  key,
  units,
  timeoutMs,
  many: 1,
});

const ACTS: readonly Act<SemaphoreAct>[] = [
  acquire('a', 1, 1),
  acquire('a', 2, 1),
  acquire('a', 1, NEVER),
  acquire('b', 2, NEVER),
  { do: 'tryAcquire', key: 'a', units: 1 },
  { do: 'resize', units: 0 },
  { do: 'resize', units: 1 },
  { do: 'release', which: 0, many: 1 },
  { do: 'release', which: 1, many: 1 },
  { do: 'abort', which: 2 },
  { do: 'advance', ms: 1 },
  { do: 'cancelForKey', key: 'a' },
  { do: 'listen', act: { do: 'release', which: 0, many: 1 } },
];

/** The history of that number. */
function history(number: number): Act<SemaphoreAct>[] {
  return Array.from({ length: LENGTH }, (_, place) => {
    return ACTS[Math.floor(number / ACTS.length ** place) % ACTS.length];
  });
}

/** @param inOneTurn whether the acts follow each other in one turn, or each has a turn. */
async function play(acts: readonly Act<SemaphoreAct>[], inOneTurn: boolean): Promise<void> {
  const stage = new SemaphoreStage(2, NEVER);
  try {
    // Both units are held, and the first that waits wants both.
    for (const act of [acquire('a', 1, NEVER), acquire('a', 1, NEVER)]) stage.act(act);
    await stage.endTurn(microtasks);
    stage.act(acquire('a', 2, 1));
    for (const act of acts) {
      stage.act(act);
      stage.compare();
      if (!inOneTurn) await stage.endTurn(microtasks);
    }
    await stage.endTurn(microtasks);
  } catch (error) {
    throw new Error(`in the history ${JSON.stringify(acts)}`, { cause: error });
  } finally {
    stage.leave();
  }
}

describeWith(fullRun, `Semaphore, in all histories of ${LENGTH} acts (behaviours 31 to 33)`, () => {
  const histories = ACTS.length ** LENGTH;

  it('gives what a plain list gives, when each act has a turn', async () => {
    for (let number = 0; number < histories; number++) await play(history(number), false);
  });

  it('gives it also when all acts are in one turn', async () => {
    for (let number = 0; number < histories; number++) await play(history(number), true);
  });
});
