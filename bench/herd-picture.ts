/**
 * The picture of docs/herd.md: the longest block of the event loop for each path that answers a
 * herd, of a list and a loop and of a purgatory. One for a light page, one for a dark one. Drawn by
 * Vega-Lite from the medians of `npm run bench -- herd`, which writes it.
 */
import type { TopLevelSpec } from 'vega-lite';
import { toSvg } from './harness/plot.ts';
import { median } from './harness/statistics.ts';
import type { Measurement } from './harness/types.ts';

const BY_HAND = 'a list and a loop';
const OURS = 'purgatory';

/** What is drawn, from the top: the system, its metric, and the words for it. */
const BARS: readonly (readonly [system: string, metric: string, words: string])[] = [
  [BY_HAND, 'waitFor', 'a promise each'],
  [BY_HAND, 'six awaits', 'a promise each, six more awaits'],
  [OURS, 'waitFor', 'notify, waitFor'],
  [OURS, 'six awaits', 'notify, waitFor, six more awaits'],
  [OURS, 'operations', 'notify, operations'],
  [OURS, 'keys', 'notify of 100,000 keys'],
  [OURS, 'deadlines', 'all deadlines at once'],
  [OURS, 'hint', 'a hint of another process'],
];

interface Theme {
  readonly text: string;
  readonly faint: string;
  readonly byHand: string;
  readonly ours: string;
}

/** The colours of text on GitHub's pages, and two that differ for the colour-blind too. */
const THEMES: Readonly<Record<'light' | 'dark', Theme>> = {
  light: { text: '#1f2328', faint: '#d1d9e0', byHand: '#bc4c00', ours: '#0969da' },
  dark: { text: '#f0f6fc', faint: '#3d444d', byHand: '#f0883e', ours: '#4493f8' },
};

/** The pictures, by their paths from the root of the repository. */
export async function herdPictures(measurements: readonly Measurement[]): Promise<Record<string, string>> {
  const pictures: Record<string, string> = {};
  for (const [name, theme] of Object.entries(THEMES)) {
    pictures[`docs/herd/${name}.svg`] = await toSvg(specOf(measurements, theme));
  }
  return pictures;
}

function specOf(measurements: readonly Measurement[], theme: Theme): TopLevelSpec {
  const values = BARS.map(([system, metric, words]) => {
    const { metrics } = measurements.find((each) => each.system === system) as Measurement;
    const ms = median(metrics[metric]);
    return { system, words, ms, label: `${ms.toLocaleString('en', { maximumSignificantDigits: 3 })} ms` };
  });
  const words = BARS.map((bar) => bar[2]);
  const y = { field: 'words', type: 'nominal', sort: words, axis: { title: null, labelLimit: 0 } } as const;
  const x = {
    field: 'ms',
    type: 'quantitative',
    axis: { title: 'longest time for which nothing else runs, in ms', tickCount: 6 },
    scale: { nice: false, domainMax: Math.max(...values.map(({ ms }) => ms)) * 1.12 },
  } as const;
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'transparent',
    padding: 12,
    width: 500,
    height: { step: 26 },
    title: { text: 'One event, 100,000 answers of 10 us: the longest block', anchor: 'start', offset: 14 },
    data: { values },
    layer: [
      {
        mark: { type: 'bar', height: 15, cornerRadiusEnd: 2 },
        encoding: {
          x,
          y,
          color: {
            field: 'system',
            type: 'nominal',
            scale: { domain: [BY_HAND, OURS], range: [theme.byHand, theme.ours] },
            legend: {
              title: null,
              orient: 'bottom-right',
              symbolType: 'square',
              offset: 12,
              labelFontSize: 13,
              labelLimit: 300,
            },
          },
        },
      },
      {
        mark: { type: 'text', align: 'left', dx: 5, fontSize: 12, color: theme.text },
        encoding: { x, y, text: { field: 'label' } },
      },
    ],
    config: {
      font: 'system-ui, sans-serif',
      view: { stroke: null },
      title: { color: theme.text, fontSize: 15 },
      axis: {
        labelColor: theme.text,
        titleColor: theme.text,
        labelFontSize: 12,
        titleFontWeight: 'normal',
        gridColor: theme.faint,
        domainColor: theme.faint,
        tickColor: theme.faint,
      },
      axisY: { ticks: false, domain: false, labelPadding: 8 },
      legend: { labelColor: theme.text },
    },
  };
}
