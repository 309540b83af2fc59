// `npm run soak`: runs the models again and again, with their full loads and each time with a fresh
// seed, as many at once as there are cores, until the time is over. The first failure ends the run,
// and the command that repeats it is printed.
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { commandLine, integer } from '../../bench/harness/command-line.ts';

const HELP = `npm run soak -- [FILES] [options]

FILES are tests that take a seed, in place of all models: examples/broker/test/fuzz.test.ts say.

  --minutes N  for so long (30)
  --seed N     the first seed (a random one)`;

const { values, positionals } = commandLine(HELP, {
  allowPositionals: true,
  options: { minutes: { type: 'string' }, seed: { type: 'string' } },
});

/** Every file of pure tests whose properties take their seed from test/property/runs.ts. */
function models(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !/^(host|engines|examples)\b/.test(file))
    .map((file) => `test/${file}`)
    .filter((file) => /import .*\bruns\b.*\/runs\.ts'/.test(readFileSync(file, 'utf8')));
}

/** Resolves with what a failure printed, or with undefined. */
function run(file: string, seed: number): Promise<string | undefined> {
  const env = { ...process.env, FC_SEED: `${seed}`, FUZZ_SEED: `${seed}`, PURGATORY_TESTS: 'full' };
  const args = ['node_modules/mocha/bin/mocha.js', '--timeout', '0', '--reporter', 'dot', file];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, maxBuffer: 2 ** 26, signal: stop.signal }, (error, stdout) =>
      resolve(error === null || stop.signal.aborted ? undefined : stdout.slice(-8_000)),
    );
  });
}

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
const files = positionals.length > 0 ? positionals : models();
const endMs = performance.now() + integer('minutes', values.minutes, 30) * 60_000;
let seed = integer('seed', values.seed, randomInt(2 ** 31));
let runs = 0;

async function lane(): Promise<void> {
  do {
    const file = files[runs++ % files.length];
    const own = seed++;
    const beganMs = performance.now();
    const failure = await run(file, own);
    if (failure !== undefined) {
      stop.abort();
      const command = `FC_SEED=${own} FUZZ_SEED=${own} PURGATORY_TESTS=full npx mocha ${file}`;
      console.error(`${failure}\nFAILED. Again: ${command}`);
      process.exitCode = 1;
    } else if (!stop.signal.aborted) {
      console.log(`${file}, seed ${own}: ${Math.round((performance.now() - beganMs) / 1000)} s`);
    }
  } while (performance.now() < endMs && !stop.signal.aborted);
}

await Promise.all(Array.from({ length: Math.min(availableParallelism(), files.length) }, lane));
