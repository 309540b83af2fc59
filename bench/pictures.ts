/**
 * The pictures of the docs, drawn from the medians that are stored in `bench/results/`. A run that
 * stores results draws them anew. Alone: `node --import tsx bench/pictures.ts`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { barChart, lineChart, type Panel } from './harness/plot.ts';
import { figure } from './harness/report.ts';
import { median } from './harness/statistics.ts';
import type { Measurement } from './harness/types.ts';

const root = new URL(import.meta.url.endsWith('.ts') ? '../' : '../../', import.meta.url);

const BY_HAND = 'a list and a loop';
const OURS = 'purgatory';

/** What is drawn of a herd, from the top: the system, its metric, and the words for it. */
const HERD: readonly (readonly [system: string, metric: string, words: string])[] = [
  [BY_HAND, 'waitFor', 'a promise each'],
  [BY_HAND, 'six awaits', 'a promise each, six more awaits'],
  [OURS, 'waitFor', 'notify, waitFor'],
  [OURS, 'six awaits', 'notify, waitFor, six more awaits'],
  [OURS, 'operations', 'notify, operations'],
  [OURS, 'keys', 'notify of 100,000 keys'],
  [OURS, 'deadlines', 'all deadlines at once'],
  [OURS, 'hint', 'a hint of another process'],
];

export function herdPicture(measurements: readonly Measurement[]): string {
  const bars = HERD.map(([name, metric, words]) => {
    const { metrics } = measurements.find(({ system }) => system === name) as Measurement;
    return { name, words, value: median(metrics[metric]) };
  });
  const chart = {
    title: 'One event, 100,000 answers of 10 us: the longest block',
    subtitle: 'longest time for which nothing else runs, in ms',
    names: [OURS, BY_HAND],
    bars,
  };
  return barChart(chart, (ms) => figure(ms, 'ms'));
}

export function schemesPicture(measurements: readonly Measurement[]): string {
  const systems = [...new Set(measurements.map(({ system }) => system))];
  const chart = {
    title: 'The eight timers: time of a step',
    subtitle: 'by the number of timers pending',
    names: systems.toReversed(), // ours is the last
    panels: [
      panel('START_TIMER', measurements, 'start', systems),
      panel('STOP_TIMER', measurements, 'stop', systems),
      panel('a tick in which one timer falls due', measurements, 'tick', systems),
      panel('stop one, start it again, a tick every ten', measurements, 'mixed', systems),
    ],
  };
  return lineChart(chart, { x: count, y: duration });
}

export function performancePicture(resultsOf: (workload: string) => readonly Measurement[]): string {
  const names = [OURS, 'setTimeout', 'indexed heap', 'Map, Set, setTimeout'];
  const chart = {
    title: 'Time of a step, ours beside what people use',
    subtitle: 'by the number of timers or operations that are pending meanwhile',
    names,
    panels: [
      panel('start one, cancel the oldest', resultsOf('steady'), 'step', names),
      panel('the same, with the same delay for all', resultsOf('same-delay'), 'steady', names),
      panel('start and expire all, by 1 ms steps', resultsOf('expire'), 'steps', names),
      panel('park on 3 of 100 keys, complete the oldest', resultsOf('park-complete'), 'step', names),
    ],
  };
  return lineChart(chart, { x: count, y: duration });
}

function panel(title: string, measurements: readonly Measurement[], metric: string, names: string[]): Panel {
  const lines = names.map((name) => ({
    name,
    points: measurements
      .filter(({ system, metrics }) => system === name && metric in metrics)
      .map(({ size, metrics }) => [size, median(metrics[metric])] as const),
  }));
  return { title, lines: lines.filter(({ points }) => points.length > 0) };
}

function count(value: number): string {
  return value < 1e6 ? value.toLocaleString('en') : `${value / 1e6}M`;
}

function duration(ns: number): string {
  if (ns >= 1e6) return `${ns / 1e6} ms`;
  return ns >= 1e3 ? `${ns / 1e3} us` : `${ns} ns`;
}

/** Writes `light.svg` to the folder of each page. */
export async function drawPictures(): Promise<void> {
  const stored = async (workload: string): Promise<Measurement[]> =>
    JSON.parse(await readFile(new URL(`bench/results/${workload}.json`, root), 'utf8')).measurements;
  const workloads = ['steady', 'same-delay', 'expire', 'park-complete'];
  const results = new Map(
    await Promise.all(workloads.map(async (name) => [name, await stored(name)] as const)),
  );
  const pictures = {
    herd: herdPicture(await stored('herd')),
    schemes: schemesPicture(await stored('schemes')),
    performance: performancePicture((workload) => results.get(workload)!),
  };
  for (const [page, svg] of Object.entries(pictures)) {
    const folder = new URL(`docs/${page}/`, root);
    await mkdir(folder, { recursive: true });
    await writeFile(new URL('light.svg', folder), svg);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await drawPictures();
