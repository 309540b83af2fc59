/**
 * One SVG for each workload: cost against the number resident, both axes logarithmic, a line for
 * each system, drawn by Vega-Lite.
 */
import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { summarize } from './statistics.ts';
import type { Measurement, Workload } from './types.ts';

/** The plot's text. Only the metrics of the workload's rows are drawn, one panel each. */
export async function plot(workload: Workload, measurements: readonly Measurement[]): Promise<string> {
  const metrics = new Set(workload.rows.map((row) => row.metric));
  // Zero has no place on a logarithmic axis.
  const points = measurements
    .filter(({ size }) => size > 0)
    .flatMap(({ system, size, metrics: measured }) =>
      Object.entries(measured)
        .filter(([metric]) => metrics.has(metric))
        .map(([metric, values]) => ({ system, size, metric, ...summarize(values), values: undefined })),
    );
  const systems = [...new Set(points.map((point) => point.system))];
  const sizes = [...new Set(points.map((point) => point.size))];
  const x = {
    field: 'size',
    type: 'quantitative',
    scale: { type: 'log' },
    axis: { values: sizes, format: '~s', title: workload.sizeLabel },
  } as const;
  const color = {
    field: 'system',
    type: 'nominal',
    scale: { domain: systems, scheme: 'tableau10' },
    legend: { title: null, labelLimit: 300 },
  } as const;
  const y = {
    type: 'quantitative',
    scale: { type: 'log' },
    axis: { title: workload.unit, format: '~s' },
  } as const;
  const isOurs = "indexof(datum.system, 'purgatory') == 0";
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'white',
    title: { text: workload.title, subtitle: 'median of the rounds; bars: least and most', anchor: 'start' },
    data: { values: points },
    facet: { column: { field: 'metric', type: 'nominal', title: null } },
    spec: {
      width: 420,
      height: 320,
      layer: [
        {
          mark: { type: 'line', point: { size: 40 } },
          encoding: {
            x,
            y: { ...y, field: 'median' },
            color,
            strokeWidth: { condition: { test: isOurs, value: 3.5 }, value: 1.5 },
            strokeDash: { condition: { test: isOurs, value: [1, 0] }, value: [5, 2] },
          },
        },
        {
          mark: { type: 'rule', opacity: 0.4 },
          encoding: { x, y: { ...y, field: 'min' }, y2: { field: 'max' }, color },
        },
      ],
    },
  };
  return toSvg(spec);
}

/** A chart's text. */
export async function toSvg(spec: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
