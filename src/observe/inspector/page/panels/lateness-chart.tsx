// How late the timer ran its tasks: a bar for each bin of its histogram.
import type { JSX } from 'preact';
import { quantile } from '../../../../base/duration-histogram.ts';
import type { Frame, TimerView } from '../../frame.ts';
import { sum } from '../data/history.ts';
import { Section } from '../words/explained.tsx';
import { count, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { Chart } from './chart.tsx';

interface Props {
  /** Since when this page has watched. */
  readonly first: Frame | undefined;
  readonly view: TimerView;
  /** There is no other timer. */
  readonly isOnly: boolean;
}

export function LatenessChart({ first, view: { name, of, lateness }, isOnly }: Props): JSX.Element {
  const { leMs, counts: all } = lateness.histogram;
  const before = first?.timers.find((each) => each.name === name)?.lateness.histogram.counts;
  const counts = all.map((n, bin) => n - (before?.[bin] ?? 0));
  return (
    <Section of="histogram" title="How late tasks ran" note={isOnly ? undefined : timerInWords(name, of)}>
      <p class="legend">{inWords(leMs, counts)}</p>
      <Chart
        label={`A histogram. ${inWords(leMs, counts)}`}
        range={[-0.6, leMs.length + 0.6]}
        ticks={ticksOf(leMs)}
        at={counts.map((_, bin) => bin)}
        drawn={[{ as: 'bar', colour: 'ember', values: counts }]}
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
  if (half === undefined || most === undefined) return 'No task has run since this page was opened.';
  const within = (ms: number): string =>
    Number.isFinite(ms) ? `within ${time(ms)}` : `later than ${time(leMs[leMs.length - 1])}`;
  const tasks = sum(counts, (n) => n);
  if (tasks === 1) return `One task ran, ${within(half)}.`;
  return `Of ${count(tasks)} tasks, half ran ${within(half)}, 99 of 100 ${within(most)}.`;
}

/** Every other bin is named, and the last. There is no room for all on a phone. */
function ticksOf(leMs: readonly number[]): [number, string | null][] {
  return [...leMs.map(binName), 'later'].map((name, bin) => {
    const isNamed = bin === leMs.length || (bin % 2 === 0 && bin < leMs.length - 1);
    return [bin, isNamed ? name : null];
  });
}

function binName(ms: number, bin: number): string {
  return ms >= 1000 ? `${Math.round(ms / 1000)} s` : `${ms}${bin === 0 ? ' ms' : ''}`;
}
