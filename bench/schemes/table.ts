/**
 * The table of `npm run bench -- schemes`: the figures, and whether each cost grows as its ledger
 * promises.
 */
import type { Measurement } from '../harness/types.ts';
import { contenders, METRICS, type Metric } from './contenders.ts';
import { measuredExponent, type Point, promisedExponent, type Verdict, verdictOn } from './growth.ts';

export interface SchemeRow {
  scheme: string;
  metric: Metric;
  points: readonly Point[];
  measured: number;
  /** What the ledger says; a mixed load is in no ledger. */
  promised?: { growth: string; exponent: number; verdict: Verdict };
}

/**
 * One row a scheme and metric. Throws a RangeError where a scheme was measured at fewer than two
 * sizes.
 */
export function rowsOf(measurements: readonly Measurement[]): SchemeRow[] {
  return Object.entries(contenders).flatMap(([scheme, { ledger }]) =>
    METRICS.map((metric): SchemeRow => {
      const points = measurements
        .filter(({ system }) => system === scheme)
        .flatMap(({ size, metrics }) =>
          metrics[metric] === undefined ? [] : [{ size, ns: metrics[metric][0] }],
        );
      const row = { scheme, metric, points, measured: measuredExponent(points) };
      if (metric === 'mixed') return row;
      const growth = ledger[metric];
      const exponent = promisedExponent(growth, points);
      return { ...row, promised: { growth, exponent, verdict: verdictOn(growth, points) } };
    }),
  );
}

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** The rows as a table in Markdown, with a column for each size. */
export function schemesTable(rows: readonly SchemeRow[], sizes: readonly number[]): string {
  const header = [
    'scheme',
    'ns',
    ...sizes.map((size) => number.format(size)),
    'ledger',
    'promised',
    'grew',
    '',
  ];
  const lines = rows.map(({ scheme, metric, points, measured, promised }) => {
    const figures = sizes.map((size) => points.find((point) => point.size === size)?.ns);
    return [
      scheme,
      metric,
      ...figures.map((ns) => (ns === undefined ? 'skipped' : number.format(ns))),
      promised?.growth ?? '-',
      promised === undefined ? '-' : power(promised.exponent),
      power(measured),
      promised?.verdict ?? '',
    ];
  });
  return [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The rows whose cost grows otherwise than promised. */
export function failing(rows: readonly SchemeRow[]): SchemeRow[] {
  return rows.filter(({ promised }) => promised !== undefined && promised.verdict !== 'as promised');
}

function power(exponent: number): string {
  return `n^${exponent.toFixed(2).replace('-0.00', '0.00')}`;
}
