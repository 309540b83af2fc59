// How operations ended over the last minute: three lines, per second.
import type { JSX } from 'preact';
import type uPlot from 'uplot';
import type { Frame, Second } from '../../frame.ts';
import { ratesOf } from '../data/history.ts';
import { Section } from '../words/explained.tsx';
import { rate } from '../words/format.ts';
import { axis, Chart, colour, countAxis, countScale } from './chart.tsx';

const LINES = [
  { name: 'completed', dash: [] },
  { name: 'expired', dash: [6, 3] },
  { name: 'cancelled', dash: [2, 3] },
] as const;

export const lineSeries: uPlot.Series[] = LINES.map(({ name, dash }) => ({
  stroke: colour(`--${name}`),
  width: 2,
  dash: [...dash],
  points: { show: false },
}));

const options = {
  scales: {
    x: { time: false, range: (): [number, number] => [-60, 0] },
    y: countScale,
  },
  axes: [
    axis({ values: (_, at) => at.map((s) => (s === 0 ? 'now' : `${s} s`)), space: 60, size: 26 }),
    countAxis,
  ],
  series: [{}, ...lineSeries],
};

export function RatesChart({
  frames,
  seconds,
  chosen,
}: {
  frames: readonly Frame[];
  seconds: readonly Second[];
  chosen: string | undefined;
}): JSX.Element {
  const rates = ratesOf(frames, chosen, seconds);
  const told = LINES.map(({ name }) => `${rate(rates[name].at(-1) ?? 0)} ${name} a second`).join(', ');
  return (
    <Section of="rates" title="Leaving, per second">
      <Lines />
      <Chart
        label={`The last minute in lines. Now: ${told}.`}
        data={[[...rates.atS], [...rates.completed], [...rates.expired], [...rates.cancelled]]}
        options={options}
      />
    </Section>
  );
}

/** Which line is which. */
export function Lines(): JSX.Element {
  return (
    <p class="legend">
      {LINES.map(({ name }) => (
        <span key={name}>
          <i class="line" data-tone={name} /> {name}
        </span>
      ))}
    </p>
  );
}
