// How late the timer ran its tasks: a bar for each bin of its histogram.
import type { JSX } from 'preact';
import uPlot from 'uplot';
import { quantile } from '../../../../base/duration-histogram.ts';
import type { Frame } from '../../frame.ts';
import type { TimerView } from '../../view-types.ts';
import { latenessWithin, sum } from '../data/history.ts';
import { Section } from '../words/explained.tsx';
import { count, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { axis, Chart, type ChartProps, colour, countAxis, countScale } from './chart.tsx';

export function LatenessChart({
  frames,
  view: { name, of, lateness },
  isOnly,
}: {
  frames: readonly Frame[];
  view: TimerView;
  /** There is no other timer. */
  isOnly: boolean;
}): JSX.Element {
  const counts = latenessWithin(frames, name, Number.POSITIVE_INFINITY);
  const { leMs } = lateness;
  return (
    <Section of="histogram" title="How late tasks ran" note={isOnly ? undefined : timerInWords(name, of)}>
      <p class="legend">{inWords(leMs, counts)}</p>
      <Chart
        key={`${name} ${leMs.length}`}
        label={`A histogram. ${inWords(leMs, counts)}`}
        data={[counts.map((_, bin) => bin), [...counts]]}
        options={optionsFor(leMs)}
      />
    </Section>
  );
}

/** A timer is known by its purgatories, if it has any. */
function timerInWords(name: string, of: readonly string[]): string {
  return of.length === 0 ? `of timer ${quoted(name)}` : `of the timer of ${of.map(quoted).join(', ')}`;
}

function inWords(leMs: readonly number[], counts: readonly number[]): string {
  const half = quantile(leMs, counts, 0.5);
  const most = quantile(leMs, counts, 0.99);
  if (half === undefined || most === undefined) return 'No task ran while this page watched.';
  const within = (ms: number): string =>
    Number.isFinite(ms) ? `within ${time(ms)}` : `later than ${time(leMs[leMs.length - 1])}`;
  return `Of ${count(sum(counts, (n) => n))} tasks, half ran ${within(half)}, 99 of 100 ${within(most)}.`;
}

function optionsFor(leMs: readonly number[]): ChartProps['options'] {
  const name = (bin: number): string => {
    if (bin === leMs.length) return 'later';
    if (leMs[bin] >= 1000) return `${Math.round(leMs[bin] / 1000)} s`;
    return bin === 0 ? `${leMs[bin]} ms` : `${leMs[bin]}`;
  };
  return {
    scales: {
      x: { time: false, range: () => [-0.6, leMs.length + 0.6] },
      y: countScale,
    },
    axes: [
      axis({
        splits: () => Array.from({ length: leMs.length + 1 }, (_, bin) => bin),
        // Every other one, and the last. There is no room for all on a phone.
        values: (_, bins) =>
          bins.map((bin) =>
            (bin % 2 === 0 && bin < leMs.length - 1) || bin === leMs.length ? name(bin) : null,
          ),
        grid: { show: false },
        size: 26,
      }),
      countAxis,
    ],
    series: [
      {},
      {
        fill: colour('--ember'),
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars?.({ size: [0.82, 60] }),
      },
    ],
  };
}
