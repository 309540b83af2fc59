/** Compares measurements with the rows of a workload, and prints them as one table. */

import { pairedRatio, type Summary, summarize } from './statistics.ts';
import type { Limit, Measurement, Row, Workload } from './types.ts';

export type Verdict = 'aim' | 'bar' | 'missed' | 'failed' | '';

export interface RowResult extends Row {
  workload: string;
  /** Absent where our system or the peer has failed. */
  ours?: Summary;
  /** Why, then. */
  failed?: string;
  peers?: Summary;
  ratio?: Summary;
  /** The aim is met, or only the bar, or neither; empty where the row is not held to anything. */
  verdict: Verdict;
}

/** The rows of `workload` that were measured, or were to be and failed, each with its verdict. */
export function resultsOf(workload: Workload, measurements: readonly Measurement[]): RowResult[] {
  const found = (system: string | undefined, size: number): Measurement | undefined =>
    measurements.find((measured) => measured.system === system && measured.size === size);
  return workload.rows.flatMap((row): RowResult[] => {
    const [our, peer] = [
      found(row.system ?? 'purgatory', row.size),
      found(row.peer, row.peerSize ?? row.size),
    ];
    const failed = [our, peer].find((measured) => measured?.failed !== undefined);
    if (failed !== undefined) {
      const reason = `${failed.system}: ${failed.failed}`;
      return [{ ...row, workload: workload.name, failed: reason, verdict: 'failed' }];
    }
    const ours = our?.metrics[row.metric];
    if (ours === undefined) return [];
    const peers = peer?.metrics[row.metric];
    const result: RowResult = { ...row, workload: workload.name, ours: summarize(ours), verdict: '' };
    if (peers !== undefined) {
      result.peers = summarize(peers);
      result.ratio = pairedRatio(ours, peers);
    }
    return [{ ...result, verdict: verdictOf(result) }];
  });
}

function verdictOf(result: RowResult): Verdict {
  if (result.bar === undefined && result.aim === undefined) return '';
  if (meets(result, result.aim)) return 'aim';
  return meets(result, result.bar) ? 'bar' : 'missed';
}

/** Without the peer's figure a ratio is not met. */
function meets({ ours, ratio, higherIsBetter }: RowResult, limit: Limit | undefined): boolean {
  if (limit === undefined || ours === undefined) return false;
  const within = (figure: number, bound: number): boolean =>
    higherIsBetter ? figure >= bound : figure <= bound;
  if (limit.value !== undefined && !within(ours.median, limit.value)) return false;
  return limit.ratio === undefined || (ratio !== undefined && within(ratio.median, limit.ratio));
}

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** A figure in three digits with its unit. */
export function figure(value: number, unit: string): string {
  return `${number.format(value)}${unit === '' || unit === '%' ? unit : ` ${unit}`}`;
}

/** How many times as good as the peer's a ratio is: above 1, ours is better. */
export function timesAsGood(ratio: number, higherIsBetter = false): string {
  return number.format(higherIsBetter ? ratio : 1 / ratio);
}

function limit({ ratio, value }: Limit = {}, unit: string, higherIsBetter?: boolean): string {
  const times = ratio === undefined ? [] : [timesAsGood(ratio, higherIsBetter)];
  return [...times, ...(value === undefined ? [] : [figure(value, unit)])].join(', ');
}

function spread({ ours, ratio, higherIsBetter }: RowResult): string {
  if (ours === undefined) return '-';
  if (ratio === undefined) return `- (${number.format(ours.min)}-${number.format(ours.max)})`;
  const times = (value: number): string => timesAsGood(value, higherIsBetter);
  const [worst, best] = higherIsBetter ? [ratio.min, ratio.max] : [ratio.max, ratio.min];
  return `${times(ratio.median)} (${times(worst)}-${times(best)})`;
}

function peerName({ peer, peerSize }: RowResult): string {
  return peerSize === undefined ? peer! : `${peer}, ${number.format(peerSize)}`;
}

const verdicts: Record<Exclude<Verdict, 'failed'>, string> = {
  aim: 'aim met',
  bar: 'bar met',
  missed: 'MISSED',
  '': '',
};
const header = ['workload', 'size', 'ours', 'beside', 'theirs', 'times as good (spread)', 'bar', 'aim', ''];

function cellsOf(result: RowResult, unit: string): string[] {
  const { peers } = result;
  return [
    result.title,
    number.format(result.size),
    result.ours === undefined ? '-' : figure(result.ours.median, unit),
    peers === undefined ? '-' : peerName(result),
    peers === undefined ? '-' : figure(peers.median, unit),
    spread(result),
    limit(result.bar, unit, result.higherIsBetter) || '-',
    limit(result.aim, unit, result.higherIsBetter) || '-',
    result.verdict === 'failed' ? `FAILED: ${result.failed}` : verdicts[result.verdict],
  ];
}

/** The results as a table in Markdown, its columns aligned for a terminal. */
export function table(results: readonly RowResult[], unitOf: (result: RowResult) => string): string {
  const lines = results.map((result) => cellsOf(result, unitOf(result)));
  const widths = header.map((name, column) =>
    Math.max(name.length, ...lines.map((line) => line[column].length)),
  );
  const format = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [format(header), format(widths.map((width) => '-'.repeat(width))), ...lines.map(format)].join('\n');
}

/** The table of docs/performance.md: what is compared, without the bars of the project. */
export function pageTable(results: readonly RowResult[], unitOf: (result: RowResult) => string): string {
  const format = (cells: readonly string[]): string => `| ${cells.slice(0, 6).join(' | ')} |`;
  const compared = results.filter(({ peers }) => peers !== undefined);
  const lines = compared.map((result) => format(cellsOf(result, unitOf(result))));
  return [format(header), format(header.map(() => '---')), ...lines].join('\n');
}
