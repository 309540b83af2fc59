// The totals of all runs of the soak: a file that each run adds to, and the summary of it that is
// published.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { COUNTS, type CountName, type Counts } from './load.ts';

export interface LedgerData {
  runs: number;
  /** Minutes of all runs, in real time. */
  minutes: number;
  failures: number;
  counts: Counts;
}

export class Ledger {
  readonly #path: string;
  readonly data: LedgerData;

  constructor(path: string) {
    this.#path = path;
    this.data = existsSync(path)
      ? JSON.parse(readFileSync(path, 'utf8'))
      : { runs: 0, minutes: 0, failures: 0, counts: {} };
  }

  add(counts: Counts): void {
    addTo(this.data.counts, counts);
  }

  /** Writes the whole file, so that a run that is killed leaves the last version. */
  save(): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(`${this.#path}.new`, `${JSON.stringify(this.data, undefined, 2)}\n`);
    renameSync(`${this.#path}.new`, this.#path);
  }

  /** As a table in Markdown. */
  summary(): string {
    const { runs, minutes, failures, counts } = this.data;
    const rows = Object.entries(COUNTS).map(([name, { label, aim }]) => {
      const done = (counts[name as CountName] ?? 0).toLocaleString('en');
      return `| ${label} | ${done} | ${aim === undefined ? '' : aim.toLocaleString('en')} |`;
    });
    const told = `${runs} runs, ${Math.round(minutes)} minutes, ${failures} failures`;
    return [`${told}.`, '', '| done | | aim |', '| --- | ---: | ---: |', ...rows].join('\n');
  }
}

export function addTo(sum: Counts, counts: Counts): void {
  for (const [name, by] of Object.entries(counts) as [CountName, number][]) {
    sum[name] = (sum[name] ?? 0) + by;
  }
}
