// `npm run faults -- redis|nats|postgres|cluster|workers [--short] [--only <part of a row>]
// [--routing interest]`: breaks real engines under load, and prints the outcome. With interest
// routing (redis and nats), the rows that only it has come first.
//
// It exits with 1 when a bar was missed, or a row threw. The bars are for two cores that are idle otherwise.
import { parseArgs } from 'node:util';
import { engines as programs } from '../../support/engines.ts';
import type { EngineName } from './fleet.ts';
import { INTEREST_ROWS } from './interest-rows.ts';
import type { Scale } from './row.ts';
import { ROWS, setRouting } from './rows.ts';
import { HEAD, linesOf } from './table.ts';

const ENGINES: readonly EngineName[] = ['redis', 'nats', 'postgres', 'cluster', 'workers'];
const FULL: Scale = {
  parked: 100_000,
  members: 4,
  rate: 2_000,
  seconds: { load: 10, kills: 60, stop: 20, idle: 20 },
};
/** With interest routing there are more rows, and each must leave time to the others. */
const FULL_INTEREST: Scale = { ...FULL, seconds: { load: 5, kills: 15, stop: 10, idle: 10 } };
const SHORT: Scale = {
  parked: 8_000,
  members: 2,
  rate: 1_000,
  seconds: { load: 2, kills: 3, stop: 3, idle: 5 },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    routing: { type: 'string', default: 'broadcast' },
  },
});
const engines = positionals.length === 0 ? ENGINES : (positionals as EngineName[]);
const unknown = engines.filter((engine) => !ENGINES.includes(engine));
if (unknown.length > 0) {
  console.error(
    `Unknown: ${unknown.join(', ')}. Usage: npm run faults -- ${ENGINES.join('|')} [--short] [--only <row>]`,
  );
  process.exit(2);
}

const isInterest = values.routing === 'interest';
setRouting(isInterest ? 'interest' : 'broadcast');
const rows = [...(isInterest ? INTEREST_ROWS : []), ...ROWS];
const full = isInterest ? FULL_INTEREST : FULL;
const scale = values.short ? SHORT : full;
let missed = 0;
console.log(HEAD.join('\n'));
for (const engine of engines) {
  if (engine in programs && !programs[engine as keyof typeof programs].isThere()) {
    console.warn(`SKIPPED: ${engine} is not installed`);
    continue;
  }
  for (const row of rows) {
    if (!row.engines.includes(engine) || !row.name.includes(values.only)) continue;
    const outcome = await linesOf(row, engine, scale);
    console.log(outcome.lines.join('\n'));
    missed += outcome.missed;
    if (outcome.error !== undefined) console.error(outcome.error);
  }
}
process.exit(missed > 0 ? 1 : 0);
