// `npm run test:runtimes`: installs the runtimes from their npm packages, into this
// folder alone, runs the tests of runtimes.ts on each, and prints a table. Exits with 1 when a
// runtime fails.
//
// Those of Node run one after the other: two releases would write the same files, as they run the
// whole suite. Each other runtime has one job, which waits more than it works: they go beside. What a
// runtime prints is shown when it ends, in one piece.
// One that prints nothing for longer than mocha lets a test last hangs: it is killed, with all its
// processes, and the files that it was at are named.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { commandLine, refuse } from '../../../bench/harness/command-line.ts';
import { end, type Results, readResults, reportTo } from '../gate/results.ts';
import { type Runtime, runtimes } from './runtimes.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const home = fileURLToPath(new URL('.', import.meta.url));

/** More than mocha's limit of a test. */
const SILENT_MS = 660_000;

interface Outcome {
  readonly version: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
}

const HELP = `npm run test:runtimes -- [options]

  --only NAME  on this runtime alone; it may be given several times:

${runtimes.map(({ name }) => `  ${name}`).join('\n')}`;

const { values } = commandLine(HELP, { options: { only: { type: 'string', multiple: true } } });
const unknown = values.only?.find((name) => !runtimes.some((runtime) => runtime.name === name));
if (unknown !== undefined) refuse(`There is no runtime ${unknown}`);

await install();
const beganMs = performance.now();
const rows: Record<string, Outcome> = {};
const results: Results[] = [];
const red: string[] = [];
const asked = runtimes.filter(({ name }) => values.only?.includes(name) ?? true);
const isNode = ({ command: [program] }: Runtime): boolean => program.startsWith('node');
const others = asked.filter((each) => !isNode(each));
await Promise.all([testAll(asked.filter(isNode)), ...others.map((each) => testAll([each]))]);
console.table(rows);
end(results, red, (performance.now() - beganMs) / 1_000);

/**
 * Installs the versions of package.json, unless they are there. (npm writes no lock file that its
 * `ci` accepts for Deno.)
 */
async function install(): Promise<void> {
  const pinned: Record<string, string> = JSON.parse(readFileSync(`${home}package.json`, 'utf8')).dependencies;
  if (Object.entries(pinned).every(([name, version]) => version.endsWith(installedVersion(name)))) return;
  const { code } = await run('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], home);
  if (code !== 0) throw new Error(`npm install in ${home} ended with code ${code}`);
}

function installedVersion(name: string): string {
  const path = `${home}node_modules/${name}/package.json`;
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).version : 'none';
}

async function testAll(some: readonly Runtime[]): Promise<void> {
  for (const runtime of some) rows[runtime.name] = await test(runtime);
}

async function test({ command: [program, ...args], ...runtime }: Runtime): Promise<Outcome> {
  const executable = `${home}node_modules/${program}`;
  const skipped = Object.keys(runtime.skippedTests);
  const folder = mkdtempSync(`${tmpdir()}/purgatory-runtimes-`);
  const file = `${folder}/results.json`;
  const startedAt = performance.now();
  const { output: version } = await run(executable, ['--version'], root, { quiet: true });
  const { code, output } = await run(
    executable,
    [
      ...args,
      'node_modules/mocha/bin/mocha.js',
      ...['--config', 'test/programs/runtimes/mocharc.json', ...reportTo(file)],
      ...(runtime.jobs === 1 ? [] : ['--parallel', '--jobs', `${runtime.jobs}`]),
      ...runtime.requires.flatMap((module) => ['--require', module]),
      ...['--require', './test/programs/runtimes/file-under-way.ts'],
      ...Object.keys(runtime.skippedFiles).flatMap((glob) => ['--ignore', glob]),
      ...(skipped.length > 0 ? ['--grep', skipped.join('|'), '--invert'] : []),
      ...runtime.specs,
    ],
    root,
    { quiet: true },
  );
  console.log(`\n${runtime.name}\n${output}`);
  const [found, alsoRed] = readResults(file, runtime.name, code);
  rmSync(folder, { recursive: true });
  const named = (tests: Results['failed']): Results['failed'] =>
    tests.map((each) => ({ ...each, file: `${runtime.name}: ${each.file}` }));
  results.push({ ...found, failed: named(found.failed), secondTries: named(found.secondTries) });
  red.push(alsoRed === '' && found.passed.length === 0 ? `${runtime.name}: no test has passed` : alsoRed);
  return {
    version: version.trim().split('\n')[0],
    passed: found.passed.length,
    failed: found.failed.length,
    seconds: Math.round((performance.now() - startedAt) / 1000),
  };
}

/**
 * Runs a program to its end, showing what it prints unless `quiet`. One that hangs is killed, and has
 * no code: its output ends with the reason.
 */
async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  { quiet = false } = {},
): Promise<{ code: number | null; output: string }> {
  const filesUnderWay = mkdtempSync(`${tmpdir()}/purgatory-runtimes-`);
  // The full loads were run by `npm run test:all`.
  const env = {
    ...process.env,
    PURGATORY_TESTS: undefined,
    PURGATORY_GATE: 'yes',
    FILES_UNDER_WAY: filesUnderWay,
  };
  // A process group of its own, which is killed as a whole.
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  const kill = (): void => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const stop = (reason: string): void => {
    const files = readdirSync(filesUnderWay).map((each) => readFileSync(`${filesUnderWay}/${each}`, 'utf8'));
    output += `\nKILLED: ${reason}. Each process was last at: ${files.join(', ') || 'no test'}\n`;
    kill();
    // A process that has left the group may hold the pipes.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const silence = setTimeout(() => stop(`it printed nothing for ${SILENT_MS / 1000} s`), SILENT_MS);
  const interrupted = (): void => {
    kill();
    process.exit(1);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      silence.refresh();
      output += text;
      if (!quiet) process.stdout.write(text);
    });
  }
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, output }));
    });
  } finally {
    clearTimeout(silence);
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    rmSync(filesUnderWay, { recursive: true });
  }
}
