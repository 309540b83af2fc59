// Runs a load for a while in a process of its own, and collects its reports.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { addTo } from './ledger.ts';
import type { Counts } from './load.ts';
import { loads } from './loads.ts';
import type { Message } from './worker.ts';

const worker = fileURLToPath(new URL('worker.ts', import.meta.url));
/** Longer than any unit takes on a busy machine. A unit that takes longer hangs. */
const UNIT_LIMIT_MS = 180_000;
/**
 * The most that the heap may grow from the second unit on, in bytes and as a part. More is a leak.
 */
const MAX_GROWTH_BYTES = 48 * 2 ** 20;

export interface Failure {
  readonly load: string;
  readonly seed: number;
  readonly why: string;
}

/** The counts of a load, and the time that it took. */
export class Tally {
  readonly load: string;
  units = 0;
  ms = 0;
  readonly counts: Counts = {};
  maxHeapBytes = 0;
  maxRssBytes = 0;

  constructor(load: string) {
    this.load = load;
  }
}

/**
 * Runs units of the load until `ms` are over, from `seed` on, or until `stop`, and no more than the
 * load has, with those that `tally` counts. A worker that is
 * terminated sets `stop` too. `onCounts` is called after each unit.
 */
export async function runLoad(
  name: string,
  seed: number,
  ms: number,
  tally: Tally,
  onCounts: (counts: Counts) => void,
  stop: AbortController,
): Promise<Failure | undefined> {
  const beganMs = performance.now();
  const { flags = [], units = Number.POSITIVE_INFINITY } = loads[name];
  const child = fork(worker, [name, `${seed}`, `${ms}`, `${units - tally.units}`], {
    execArgv: [...flags, '--import', 'tsx'],
  });
  const onStop = (): void => void child.kill('SIGTERM');
  stop.signal.addEventListener('abort', onStop);
  let failure: Failure | undefined;
  let current = seed;
  let firstHeapBytes: number | undefined;
  const hangs = (): void => {
    failure ??= { load: name, seed: current, why: `takes longer than ${UNIT_LIMIT_MS / 1_000} s` };
    child.kill('SIGKILL');
  };
  let watchdog = setTimeout(hangs, UNIT_LIMIT_MS);
  child.on('message', (message: Message) => {
    clearTimeout(watchdog);
    watchdog = setTimeout(hangs, UNIT_LIMIT_MS);
    if (message.kind === 'began') {
      current = message.seed;
    } else if (message.kind === 'failed') {
      failure = { load: name, seed: message.seed, why: message.stack };
    } else {
      const { counts, heapBytes, rssBytes } = message;
      tally.units++;
      addTo(tally.counts, counts);
      onCounts(counts);
      tally.maxHeapBytes = Math.max(tally.maxHeapBytes, heapBytes);
      tally.maxRssBytes = Math.max(tally.maxRssBytes, rssBytes);
      firstHeapBytes ??= heapBytes;
      const grownBytes = heapBytes - firstHeapBytes;
      if (grownBytes > MAX_GROWTH_BYTES)
        failure ??= {
          load: name,
          seed: current,
          why: `the heap has grown by ${grownBytes} bytes since the first unit`,
        };
    }
  });
  const [code, signal] = await once(child, 'exit');
  clearTimeout(watchdog);
  stop.signal.removeEventListener('abort', onStop);
  tally.ms += performance.now() - beganMs;
  // Somebody ends the worker. Usually the whole run is to end.
  if (signal === 'SIGTERM' || signal === 'SIGINT') stop.abort();
  else if (code !== 0 && failure === undefined)
    failure = { load: name, seed: current, why: `its process ended with ${code ?? signal}` };
  return failure;
}
