// One process of the soak: runs units of a load until its time is over, and reports what they did.
//
// Ground rules. It reports a seed to the parent before the unit begins. So the parent knows which
// seed hung or ended the process.
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Counts } from './load.ts';
import { loads } from './loads.ts';

/** A report of a worker. */
export type Message =
  | { readonly kind: 'began'; readonly seed: number }
  | { readonly kind: 'did'; readonly counts: Counts; readonly heapBytes: number; readonly rssBytes: number }
  | { readonly kind: 'failed'; readonly seed: number; readonly stack: string };

const [name, seedText, msText, unitsText] = process.argv.slice(2);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function tell(message: Message): void {
  process.send?.(message);
}

const { units } = loads[name];
/** A seed that follows from another, for the next unit. */
const following = (seed: number): number =>
  units === undefined ? (Math.imul(seed, 0x9e3779b1) + 0x7f4a7c15) >>> 0 : (seed + 1) % units;

const load = await loads[name].import();
const endMs = performance.now() + Number(msText);
let seed = Number(seedText);
let left = Number(unitsText);
try {
  do {
    tell({ kind: 'began', seed });
    const counts: Counts = {};
    await load.run(seed, counts);
    seed = following(seed);
    collect();
    const { heapUsed, rss } = process.memoryUsage();
    tell({ kind: 'did', counts, heapBytes: heapUsed, rssBytes: rss });
  } while (--left > 0 && performance.now() < endMs);
  await load.end?.();
} catch (error) {
  tell({ kind: 'failed', seed, stack: inspect(error) });
  process.exitCode = 1;
}
process.disconnect?.();
