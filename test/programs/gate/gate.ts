// The runs of tests, where the package is built.
//
// Invariants: a folder decides the kind of a test. Pure tests cannot be red because a machine is slow, so
// `npm test` is these and the types. The kinds that have processes, sockets and real time go one
// after the other and leave a core to what they start. On two cores they have two jobs all the same:
// they wait more than they work, and one job made the whole run last 19 minutes. `all` measures the
// coverage of pure, host and engines together: V8 writes it, and c8 reads it at the end.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, refuse } from '../../../bench/harness/command-line.ts';
import { end, type Results, readResults, reportTo } from './results.ts';

const cores = availableParallelism();
const jobs = Math.max(2, cores - 1);
const folder = mkdtempSync(join(tmpdir(), 'gate-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
const coverage = { NODE_V8_COVERAGE: join(folder, 'coverage') };

interface Run {
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const npm = (script: string): Run => ({ command: ['npm', 'run', '-s', script] });
const mocha = (many: number, ...rest: readonly string[]): Run => ({
  command: ['mocha', '--parallel', '--jobs', `${many}`, ...rest],
});
const covered = ({ command, env }: Run): Run => {
  const worker = ['--require', './test/support/covered-worker.ts'];
  return { command: [...command, ...worker], env: { ...env, ...coverage } };
};

const KINDS = 'host|engines|examples|docs|bench|programs|simulation';
const style = npm('lint');
const types = npm('typecheck');
const pure = mocha(
  Math.max(2, cores), // with one job, mocha's parallel mode cannot load TypeScript
  ...['--require', './test/support/pure.ts'],
  ...[`test/!(${KINDS})/**/*.test.ts`, 'test/*.test.ts'],
);
const host = mocha(jobs, 'test/host/**/*.test.ts');
const simulation = mocha(jobs, 'test/simulation/**/*.test.ts'); // pure, but not short
const engines = mocha(jobs, 'test/engines/**/*.test.ts');
const examples = mocha(jobs, 'test/{examples,docs,bench,programs}/**/*.test.ts');

/** Each step is what goes side by side; the steps go one after the other. */
const GATES: Record<string, readonly Record<string, Run>[]> = {
  test: [{ pure, types }],
  host: [{ host, simulation }],
  engines: [{ engines }],
  examples: [{ examples }],
  all: [
    { style },
    { pure: covered(pure), types },
    { host: covered(host), simulation },
    { engines: covered(engines) },
    { examples },
    { broker: npm('test:broker') },
    { coverage: { command: ['c8', 'report', '--temp-directory', coverage.NODE_V8_COVERAGE] } },
  ],
};

const { positionals } = commandLine(`npm run gate -- ${Object.keys(GATES).join(' | ')}`, {
  allowPositionals: true,
});
const [gate] = positionals;
if (!Object.hasOwn(GATES, gate)) refuse(`There is no gate ${gate}`);

let column = 0;

/** Dots of all runs make lines; anything else begins a line. */
function say(text: string): void {
  if (/^[.,]+$/.test(text)) {
    for (const dot of text) {
      process.stdout.write(column % 100 === 99 ? `${dot}\n` : dot);
      column = (column + 1) % 100;
    }
    return;
  }
  process.stdout.write(`${column > 0 ? '\n' : ''}${text}${text.endsWith('\n') ? '' : '\n'}`);
  column = 0;
}

/** Resolves with the results of a run of mocha, and with what else is red: '' if nothing is. */
async function run(name: string, { command, env }: Run): Promise<[Results | undefined, red: string]> {
  const file = join(folder, `${name}.json`);
  const isMocha = command.includes('mocha');
  const [program, ...args] = isMocha ? [...command, ...reportTo(file)] : command;
  const child = spawn(program, args, {
    env: { ...process.env, PURGATORY_GATE: 'yes', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (isMocha) return readResults(file, name, code);
  return [undefined, code === 0 ? '' : `${name}, see above`];
}

const beganMs = performance.now();
const ended: [Results | undefined, red: string][] = [];
for (const step of GATES[gate]) {
  const stepMs = performance.now();
  const names = Object.keys(step).join(' and ');
  ended.push(...(await Promise.all(Object.entries(step).map(([name, each]) => run(name, each)))));
  say(`${names}: ${Math.round((performance.now() - stepMs) / 1_000)} s`);
}
const { stdout } = spawnSync('git', ['diff', '--name-only', 'origin/main...'], { encoding: 'utf8' });
const changed = stdout?.split('\n') ?? []; // none where there is no git, or no such branch
if (changed.some((file) => file.startsWith('src/')) && !changed.includes('CHANGELOG.md')) {
  say('src has changed since origin/main, and CHANGELOG.md has not: do users see the change?');
}
end(
  ended.flatMap(([results]) => results ?? []),
  ended.map(([, red]) => red),
  (performance.now() - beganMs) / 1_000,
);
