// `npm test`, `npm run test:core` and `npm run test:broker`, where the package is built: everything
// goes side by side, what it prints is seen at once, and the end says what is red.
//
// Coverage makes a test up to half as slow again. So it is measured in one run of mocha, of the tests
// that mirror src and most models. The other run has what uses the package as a program does, and the
// longest models: its tests wait for other processes, so it has a job more. Slow files start first: a
// run ends when its last file does.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, type Results, readResults, reportTo } from './results.ts';

const STYLE = ['npm', 'run', '-s', 'lint'];
const TYPES = ['npm', 'run', '-s', 'typecheck'];
const mocha = (jobs: number, ...rest: string[]): string[] => [
  ...['mocha', '--parallel', '--jobs', `${jobs}`, ...rest],
];

const GATES: Record<string, Record<string, string[]>> = {
  library: {
    style: STYLE,
    types: TYPES,
    programs: mocha(
      3,
      'test/engines/observe/inspector/page.test.ts',
      'test/docs/recipes.test.ts',
      'test/programs/**/*.test.ts',
      'test/engines/observe/inspector/page-*.test.ts',
      'test/examples/*.test.ts',
      'test/property/{bus,*short-histories}.test.ts',
      'test/{docs,bench}/**/!(recipes).test.ts',
    ),
    'tests of src': [
      'c8',
      ...mocha(
        2,
        ...['--require', './test/support/covered-worker.ts'],
        'test/host/timer/system-timer-stood-still.test.ts',
        'test/host/**/!(system-timer-stood-still).test.ts',
        'test/engines/**/!(page|page-*).test.ts',
        'test/bus/**/*.test.ts',
        'test/observe/**/*.test.ts',
        'test/property/!(bus|*short-histories).test.ts',
        'test/waits/**/*.test.ts',
        'test/!(programs|examples|docs|bench|property|observe|host|engines|bus|waits)/**/*.test.ts',
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

/** Resolves with the results of a run of mocha, and with what else is red: '' if nothing is. */
async function run(name: string, command: readonly string[]): Promise<[Results | undefined, red: string]> {
  const file = join(folder, `${name}.json`);
  const isMocha = command.includes('mocha');
  const [program, ...args] = isMocha ? [...command, ...reportTo(file)] : command;
  const env = { ...process.env, PURGATORY_GATE: 'yes' };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (isMocha) return readResults(file, name, code);
  return [undefined, code === 0 ? '' : `${name}, see above`];
}

const gate = process.argv[2];
if (!Object.hasOwn(GATES, gate)) throw new TypeError(`no gate of that name: ${gate}`);
const beganMs = performance.now();
const runs = GATES[gate];
say(`Side by side: ${Object.keys(runs).join(', ')}`);
const ended = await Promise.all(Object.entries(runs).map(([name, command]) => run(name, command)));
rmSync(folder, { recursive: true });
const results = ended.flatMap(([results]) => results ?? []);
end(
  results,
  ended.map(([, red]) => red),
  (performance.now() - beganMs) / 1_000,
);
