// `npm run simulate -- --seeds 1000 --from 1`: plays worlds, prints each failure in its shortest form
// with the command that replays it, and ends with 1 if there was one. `--seconds 120` plays fresh seeds
// for so long. `--trace` prints what happened; `--acts` and `--faults` play those alone.
import { parseArgs } from 'node:util';
import { planOf } from './plan.ts';
import { commandOf, play, shorten, withoutAllBut } from './play.ts';

/** Of CPU. */
const SHORTEN_MS = 30_000;
/** Every so many seeds one is played twice, and must be the same. */
const REPLAY_EVERY = 20;
const TRACED_LINES = 400;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seconds: { type: 'string' },
    acts: { type: 'string' },
    faults: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const list = (text: string | undefined): number[] | undefined =>
  text === undefined ? undefined : text.split(',').filter(Boolean).map(Number);
const { seconds, trace } = values;
const from = Number(values.from ?? (seconds === undefined ? 1 : Date.now() % 1_000_000_000));
const seeds = Number(values.seeds ?? (seconds === undefined ? 1 : Number.POSITIVE_INFINITY));
const endMs = seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(seconds) * 1_000;
const kept = { acts: list(values.acts), faults: list(values.faults) };
const isWhole = kept.acts === undefined && kept.faults === undefined;

Error.stackTraceLimit = 0; // nobody reads the stacks, and they are a sixth of the time

const total = { seeds: 0, steps: 0, waits: 0, replays: 0, failed: 0 };
const endings: Record<string, number> = {};
const began = process.cpuUsage();
console.log(`Seeds from ${from} on:`);
for (let seed = from; seed < from + seeds && performance.now() < endMs; seed++) {
  const played = await play(seed, withoutAllBut(planOf(seed), kept), trace);
  const { world, violation } = played;
  total.seeds++;
  total.steps += world.time.steps;
  total.waits += world.waits.made;
  for (const [ending, many] of Object.entries(world.waits.endings))
    endings[ending] = (endings[ending] ?? 0) + many;
  if (trace) {
    console.log(world.plan.config);
    console.log(world.trace?.slice(-Number(process.env.TRACE_LINES ?? TRACED_LINES)).join('\n'));
  }
  if (seed % REPLAY_EVERY === 0) {
    total.replays++;
    const again = (await play(seed, withoutAllBut(planOf(seed), kept))).world.time;
    if (again.hash !== world.time.hash || again.steps !== world.time.steps) {
      total.failed++;
      console.log(`Seed ${seed}: two runs differ, after ${world.time.steps} and ${again.steps} steps.`);
    }
  }
  if (violation === undefined) continue;
  total.failed++;
  console.log(`Seed ${seed}, after ${violation.atMs.toFixed(2)} ms: ${violation.what}\n  ${violation.about}`);
  if (!isWhole) continue;
  const shortest = await shorten(played, SHORTEN_MS);
  console.log(`  ${shortest.acts.length} acts and ${shortest.faults.length} faults are enough:`);
  console.log(`  ${commandOf(seed, shortest)}`);
}
const { user, system } = process.cpuUsage(began);
const cpuS = (user + system) / 1e6;
console.log(
  JSON.stringify({
    ...total,
    cpuS: Math.round(cpuS * 10) / 10,
    stepsPerS: Math.round(total.steps / cpuS),
    endings,
  }),
);
process.exitCode = total.failed > 0 ? 1 : 0;
