// `npm run faults`: breaks real engines under load, and prints a table: a line for each number that was
// measured.
//
// It exits with 1 when a bar was missed. The bars are for two cores that are idle otherwise.
import { commandLine, refuse } from '../../../bench/harness/command-line.ts';
import { engines as programs } from '../../support/engines.ts';
import { type EngineName, Fleet } from './fleet.ts';
import { type Result, ROWS, type Row, type Scale } from './rows.ts';

const ENGINES: readonly EngineName[] = ['redis', 'nats', 'postgres', 'cluster', 'workers'];
const FULL: Scale = { parked: 100_000, members: 4, rate: 2_000, seconds: 10 };
const SHORT: Scale = { parked: 8_000, members: 2, rate: 1_000, seconds: 2 };

const HELP = `npm run faults -- [${ENGINES.join(' | ')}] [options]

Without an engine it breaks all.

  --short      with fewer waits and processes
  --only TEXT  the rows whose name contains it:

${ROWS.map(({ name }) => `  ${name}`).join('\n')}`;

const { values, positionals } = commandLine(HELP, {
  allowPositionals: true,
  options: { short: { type: 'boolean' }, only: { type: 'string', default: '' } },
});
const engines = positionals.length === 0 ? ENGINES : (positionals as EngineName[]);
const unknown = engines.filter((engine) => !ENGINES.includes(engine));
if (unknown.length > 0) refuse(`There is no engine ${unknown}`);

function print(...cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}

async function resultsOf(row: Row, engine: EngineName): Promise<Result[]> {
  const scale = { ...(values.short ? SHORT : FULL), ...row.scale };
  const fleet = await new Fleet(engine, scale.parked).start(scale.members, scale.timeoutMs);
  try {
    return await row.run(fleet, scale);
  } finally {
    await fleet.end();
  }
}

let missed = 0;
print('engine', 'case', 'what', 'measured', 'bar', '');
console.log('| --- | --- | --- | ---: | ---: | --- |');
for (const engine of engines) {
  if (engine in programs && !programs[engine as keyof typeof programs].isThere()) {
    console.warn(`SKIPPED: ${engine} is not installed`);
    continue;
  }
  for (const row of ROWS) {
    if (!row.engines.includes(engine) || !row.name.includes(values.only)) continue;
    for (const { what, measured, bar } of await resultsOf(row, engine)) {
      const shown = measured >= 100 ? measured.toFixed(0) : `${Number(measured.toPrecision(3))}`;
      const isMissed = bar !== undefined && !(measured <= bar);
      if (isMissed) missed++;
      print(engine, row.name, what, shown, `${bar ?? ''}`, isMissed ? 'MISSED' : '');
    }
  }
}
process.exit(missed > 0 ? 1 : 0);
