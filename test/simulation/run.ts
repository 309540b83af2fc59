// `npm run simulate`: plays worlds, prints each failure in its shortest form with the command that
// replays it, and ends with 1 if there was one.
import { commandLine, integer } from '../../bench/harness/command-line.ts';
import { commandOf, play, shorten } from './play.ts';

/** Of CPU. */
const SHORTEN_MS = 30_000;
/** Every so many seeds one is played twice, and must be the same. */
const REPLAY_EVERY = 20;
const TRACED_LINES = 400;

const HELP = `npm run simulate -- [options]

  --seeds N        plays so many (1; with --seconds as many as it can)
  --from N         the first seed (1; with --seconds a fresh one)
  --seconds N      plays for so long
  --trace          prints what happened
  --acts 1,2,...   plays only these acts of the seed
  --faults 1,...   plays only these faults of the seed

SIGTERM ends it behind the world under way, with its totals.`;

const { values } = commandLine(HELP, {
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seconds: { type: 'string' },
    acts: { type: 'string' },
    faults: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const list = (option: string, text: string | undefined): number[] | undefined =>
  text
    ?.split(',')
    .filter(Boolean)
    .map((number) => integer(option, number, 0));
const { trace } = values;
const seconds = integer('seconds', values.seconds, Number.POSITIVE_INFINITY);
const isTimed = Number.isFinite(seconds);
const from = integer('from', values.from, isTimed ? Date.now() % 1_000_000_000 : 1);
const seeds = integer('seeds', values.seeds, isTimed ? Number.POSITIVE_INFINITY : 1);
const endMs = performance.now() + seconds * 1_000;
const kept = { acts: list('acts', values.acts), faults: list('faults', values.faults) };
const isWhole = kept.acts === undefined && kept.faults === undefined;

Error.stackTraceLimit = 0; // nobody reads the stacks, and they are a sixth of the time

let isStopped = false;
process.once('SIGTERM', () => {
  isStopped = true;
});

const total = { seeds: 0, steps: 0, waits: 0, replays: 0, failed: 0 };
const endings: Record<string, number> = {};
const began = process.cpuUsage();
console.log(`Seeds from ${from} on:`);
for (let seed = from; seed < from + seeds && performance.now() < endMs && !isStopped; seed++) {
  const played = await play(seed, kept, trace);
  const { world, violation } = played;
  total.seeds++;
  total.steps += world.time.steps;
  total.waits += world.waits.made;
  for (const [ending, many] of Object.entries(world.waits.endings))
    endings[ending] = (endings[ending] ?? 0) + many;
  if (trace) {
    console.log(world.plan.config);
    console.log(world.trace.slice(-TRACED_LINES).join('\n'));
  }
  if (seed % REPLAY_EVERY === 0) {
    total.replays++;
    const again = (await play(seed, kept)).world.time;
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
