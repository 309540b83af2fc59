// `npm test`, `npm run test:core` and `npm run test:broker`, where the package is built: everything
// goes side by side, what it prints is seen at once, and the end says what is red.
//
// Coverage makes a test up to half as slow again. So it is measured in one run of mocha, of the tests
// that mirror src and most models. The other run has what uses the package as a program does, and the
// longest models: its tests wait for other processes, so it has a job more. Slow files start first: a
// run ends when its last file does.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MOST_SECOND_TRIES = 2;

const STYLE = ['npm', 'run', '-s', 'lint'];
const TYPES = ['npm', 'run', '-s', 'typecheck'];
const mocha = (jobs: number, ...rest: string[]): string[] => [
  ...['mocha', '--parallel', '--jobs', `${jobs}`, '--reporter', 'test/programs/gate/dots.js', ...rest],
];

const GATES: Record<string, Record<string, string[]>> = {
  library: {
    style: STYLE,
    types: TYPES,
    programs: mocha(
      3,
      'test/observe/inspector/page.test.ts',
      'test/docs/recipes.test.ts',
      'test/programs/**/*.test.ts',
      'test/observe/inspector/page-*.test.ts',
      'test/examples/*.test.ts',
      'test/property/{bus,*short-histories}.test.ts',
      'test/{docs,bench}/**/!(recipes).test.ts',
    ),
    'tests of src': [
      'c8',
      ...mocha(
        2,
        ...['--require', './test/support/covered-worker.ts'],
        'test/timer/system-timer-stood-still.test.ts',
        'test/compat/**/*.test.ts',
        'test/bus/**/*.test.ts',
        'test/observe/**/!(page|page-*).test.ts',
        'test/property/!(bus|*short-histories).test.ts',
        'test/waits/**/*.test.ts',
        'test/!(programs|examples|docs|bench|property|observe|compat|bus|waits)/**/!(system-timer-stood-still).test.ts',
        'test/*.test.ts',
      ),
    ],
  },
  broker: { broker: mocha(4, 'test/examples/broker/**/*.test.ts') },
  core: {
    'tests of src': mocha(
      4,
      'test/!(programs|examples|docs|bench)/**/!(page|page-*).test.ts',
      'test/*.test.ts',
    ),
  },
};

interface Named {
  readonly file: string;
  readonly title: string;
}

interface Results {
  readonly passed: readonly Named[];
  readonly failed: readonly Named[];
  readonly skipped: readonly Named[];
  readonly secondTries: readonly Named[];
}

const folder = mkdtempSync(join(tmpdir(), 'gate-'));
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

/** Resolves with what is red besides tests, '' when nothing is, and with the results of a mocha run. */
async function run(name: string, command: readonly string[]): Promise<{ red: string; results?: Results }> {
  const file = join(folder, `${name}.json`);
  const isMocha = command.includes('mocha');
  const [program, ...args] = isMocha ? [...command, '--reporter-option', `results=${file}`] : command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (!isMocha) return { red: code === 0 ? '' : name };
  let results: Results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { red: `${name} (mocha ended before its tests did, see above)` };
  }
  const isRed = code !== 0 && results.failed.length === 0;
  return { red: isRed ? `${name} (${command[0]} ended with ${code}, see above)` : '', results };
}

const list = (tests: readonly Named[]): string =>
  tests.map(({ file, title }) => `    ${file}: ${title}\n`).join('');

const gate = process.argv[2];
if (!Object.hasOwn(GATES, gate)) throw new TypeError(`no gate of that name: ${gate}`);
const beganMs = performance.now();
const runs = GATES[gate];
say(`Side by side: ${Object.keys(runs).join(', ')}`);
const ended = await Promise.all(Object.entries(runs).map(([name, command]) => run(name, command)));
rmSync(folder, { recursive: true });

const all = (kind: keyof Results): Named[] => ended.flatMap(({ results }) => results?.[kind] ?? []);
const [passed, failed, skipped, secondTries] = [
  all('passed'),
  all('failed'),
  all('skipped'),
  all('secondTries'),
];
say(`\n  ${passed.length} passing (${Math.round((performance.now() - beganMs) / 1_000)} s)`);
if (skipped.length > 0) say(`  ${skipped.length} pending\n${list(skipped)}`);
if (secondTries.length > 0)
  say(`  ${secondTries.length} passed or failed by a second try\n${list(secondTries)}`);

const red = ended.map((end) => end.red).filter((name) => name !== '');
if (secondTries.length > MOST_SECOND_TRIES) red.push(`more than ${MOST_SECOND_TRIES} second tries`);
if (failed.length > 0) {
  say(`  ${failed.length} failing`);
  red.unshift(failed.length === 1 ? '1 test' : `${failed.length} tests`);
}
if (red.length > 0) {
  say(`\nFAILED: ${red.join(', ')}\n${list(failed)}`);
  process.exitCode = 1;
}
