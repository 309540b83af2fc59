// `npm run soak -- --minutes 30`: runs every load in turn, with fresh seeds, as many at once as
// there are cores. It prints a line of progress, and a table at the end. The counts of the run are
// added to the ledger. A failure prints its seed and the command that replays it, and ends the run.
//
//   --minutes 30            the duration
//   --only timer,kills      only these loads
//   --seed 1                the first seed (else random). With --only and one core, the same units
//                           run again
//   --replay timer:123      one unit of a load, again
//   --ledger file           the ledger (.soak/ledger.json)
//   --summary               prints the summary of the ledger, and runs nothing
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { addTo, Ledger } from './ledger.ts';
import { COUNTS, type CountName, type Counts } from './load.ts';
import { loads } from './loads.ts';
import { HISTORIES } from './models/short-units.ts';
import { type Failure, runLoad, Tally } from './runner.ts';

/** Turns of each load in a short run. So each load has one, however slow the machine is. */
const TURNS = 3;
/** The most time that a process of a load runs. The heap is compared within this time. */
const TURN_MS = 60_000;
const PROGRESS_MS = 10_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    only: { type: 'string' },
    seed: { type: 'string' },
    replay: { type: 'string' },
    ledger: { type: 'string', default: '.soak/ledger.json' },
    summary: { type: 'boolean', default: false },
  },
});

function refuse(why: string): never {
  console.error(`soak: ${why}`);
  process.exit(2);
}

function whole(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!(value >= 0)) refuse(`--${name} must be a number >= 0, not ${text}`);
  return value;
}

const ledger = new Ledger(values.ledger);
const names = values.only?.split(',') ?? Object.keys(loads);
const unknown = [...names, ...(values.replay === undefined ? [] : [values.replay.split(':')[0]])].find(
  (name) => !Object.hasOwn(loads, name),
);
if (unknown !== undefined)
  refuse(`there is no load "${unknown}": there are ${Object.keys(loads).join(', ')}`);

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

if (values.summary) console.log(ledger.summary());
else if (values.replay !== undefined) await replay(values.replay);
else await soak();

async function replay(which: string): Promise<void> {
  const [name, seed] = which.split(':');
  const tally = new Tally(name);
  const failure = await runLoad(name, whole('replay', seed, 0), 0, tally, () => {}, stop);
  if (failure === undefined) console.log(`${which} holds: ${told(tally.counts)}`);
  else fail(failure);
}

async function soak(): Promise<void> {
  const totalMs = whole('minutes', values.minutes, 30) * 60_000;
  const startMs = performance.now();
  const elapsedMs = (): number => performance.now() - startMs;
  const firstSeed = whole('seed', values.seed, randomInt(2 ** 32));
  let seed = firstSeed;
  const tallies = new Map(names.map((name) => [name, new Tally(name)]));
  const done: Counts = {};
  let failure: Failure | undefined;

  /** Takes the load that is furthest behind its share, of those that no other process runs. */
  const running = new Set<string>();
  const isDone = (name: string): boolean =>
    (tallies.get(name) as Tally).units >= (loads[name].units ?? Number.POSITIVE_INFINITY);
  const behind = (name: string): number => (tallies.get(name) as Tally).ms / loads[name].share;
  const next = (): string | undefined =>
    names
      .filter((name) => !running.has(name) && !isDone(name))
      .sort((a, b) => behind(a) - behind(b) || loads[b].share - loads[a].share)[0];
  const shares = names.reduce((sum, name) => sum + loads[name].share, 0);
  const lanes = Math.min(availableParallelism(), names.length);

  const lane = async (): Promise<void> => {
    do {
      const name = next();
      if (name === undefined) return;
      running.add(name);
      const tally = tallies.get(name) as Tally;
      const turnMs = Math.min(
        TURN_MS,
        (totalMs * lanes * loads[name].share) / shares / TURNS,
        totalMs - elapsedMs(),
      );
      seed = (seed + 0x6d2b79f5) >>> 0;
      const { units } = loads[name];
      const unit = units === undefined ? seed : (firstSeed + tally.units) % units;
      const failed = await runLoad(name, unit, turnMs, tally, onCounts, stop);
      running.delete(name);
      if (failed !== undefined) {
        failure ??= failed;
        stop.abort();
      }
    } while (elapsedMs() < totalMs && !stop.signal.aborted);
  };
  const onCounts = (counts: Counts): void => {
    addTo(done, counts);
    ledger.add(counts);
  };
  const progress = setInterval(() => {
    const leftMs = Math.max(totalMs - elapsedMs(), 0);
    console.log(`soak ${clock(elapsedMs())} done, ${clock(leftMs)} left: ${told(done)}`);
    ledger.save();
  }, PROGRESS_MS);

  await Promise.all(Array.from({ length: lanes }, lane));
  clearInterval(progress);
  ledger.data.runs++;
  ledger.data.minutes += elapsedMs() / 60_000;
  if (failure !== undefined) ledger.data.failures++;
  ledger.save();
  printTable([...tallies.values()]);
  console.log(`\nThe ledger, ${values.ledger}: ${ledger.summary()}`);
  if (failure !== undefined) {
    fail(failure);
  } else if (stop.signal.aborted) {
    console.error(`\nSTOPPED after ${clock(elapsedMs())} of ${clock(totalMs)}`);
    process.exitCode = 1;
  }
}

function fail({ load, seed, why }: Failure): void {
  console.error(`\nFAILED: ${load}, seed ${seed}. Again: npm run soak -- --replay ${load}:${seed}\n${why}`);
  process.exitCode = 1;
}

function told(counts: Counts): string {
  const entries = Object.entries(counts) as [CountName, number][];
  return (
    entries
      .map(([name, done]) => `${done.toLocaleString('en')}${ofAll(name)} ${COUNTS[name].label}`)
      .join(', ') || 'nothing yet'
  );
}

function ofAll(name: CountName): string {
  return name === 'histories' ? ` of ${HISTORIES.toLocaleString('en')}` : '';
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`;
}

function printTable(tallies: readonly Tally[]): void {
  const rows = tallies.map(({ load, units, ms, counts, maxHeapBytes, maxRssBytes }) => [
    load,
    loads[load].what,
    `${units}`,
    clock(ms),
    `${Math.round(((counts.modelSteps ?? 0) / Math.max(ms, 1)) * 1_000).toLocaleString('en')}`,
    `${Math.round(maxHeapBytes / 2 ** 20)}`,
    `${Math.round(maxRssBytes / 2 ** 20)}`,
    told(counts),
  ]);
  const head = ['load', 'what', 'units', 'time', 'steps/s', 'heap MiB', 'rss MiB', 'done'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  console.log();
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}
