// The table that `npm run faults` prints: a line for each number that was measured.
//
// Ground rules. A row that throws has missed. It is a line of its own, and ends no other row.
import type { EngineName } from './fleet.ts';
import { isMissed, type Result, type Row, type Scale } from './row.ts';

export const HEAD = [
  line('engine', 'case', 'what', 'measured', 'bar', ''),
  '| --- | --- | --- | ---: | ---: | --- |',
];

export interface Lines {
  readonly lines: readonly string[];
  /** How many of them have missed. */
  readonly missed: number;
  /** What the row threw. */
  readonly error?: unknown;
}

/** Runs `row` on `engine`. */
export async function linesOf(row: Row, engine: EngineName, scale: Scale): Promise<Lines> {
  try {
    const results = await row.run(engine, scale);
    return {
      lines: results.map((result) => lineOf(engine, row.name, result)),
      missed: results.filter(isMissed).length,
    };
  } catch (error) {
    const [what] = String(error).replaceAll('|', '/').split('\n');
    return { lines: [line(engine, row.name, what, 'threw', '', 'MISSED')], missed: 1, error };
  }
}

function lineOf(engine: EngineName, name: string, result: Result): string {
  const { what, measured, unit, bar, least } = result;
  const shown = measured >= 100 ? measured.toFixed(0) : Number(measured.toPrecision(3)).toString();
  const limit = least === undefined ? bar : `at least ${least}`;
  const verdict = isMissed(result) ? 'MISSED' : 'met';
  const [barShown, ending] = limit === undefined ? ['', ''] : [`${limit} ${unit}`.trim(), verdict];
  return line(engine, name, what, `${shown} ${unit}`.trim(), barShown, ending);
}

function line(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
