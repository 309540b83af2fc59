// The last ten minutes: how many were parked, how they left, and the incidents meanwhile.
import type { JSX } from 'preact';
import { ENDS, type End, type Second } from '../../frame.ts';
import { countIn, last, sum, views } from '../data/history.ts';
import { isBlocked } from '../data/host-rules.ts';
import { type Incident, incidentsOf } from '../data/judge.ts';
import { Section } from '../words/explained.tsx';
import { capitalised, clock, count, plural, rate, time } from '../words/format.ts';
import { tone } from '../words/tone.ts';
import { Chart, type Drawn } from './chart.tsx';

/** The most kinds of incidents that are shown at once, the worst. The others unfold. */
const MAX_TOLD = 6;

/** How the lines are drawn, and the legend. */
const DASHES: Readonly<Record<End, string>> = {
  completed: '',
  expired: '6 3',
  cancelled: '2 3',
  rejected: '8 2 2 2',
};
/** How many minutes the charts may span: a young server has less than ten to tell. */
const SPANS = [1, 2, 4, 10] as const;

/** `seconds` are not empty. */
export function Minutes({ seconds }: { seconds: readonly Second[] }): JSX.Element {
  const at = seconds.map(({ wallMs }) => (wallMs - last(seconds).wallMs) / 1000);
  const spanS = 60 * (SPANS.find((span) => at[0] >= -60 * span) ?? last(SPANS));
  const ticks = [1, 0.75, 0.5, 0.25].map((part) => [-part * spanS, time(-1000 * part * spanS)] as const);
  const axis = { at, range: [-spanS, 0], ticks: [...ticks, [0, 'now']] } as const;
  const stood = seconds.map((second) => Number(isBlocked(second)));
  const blocked: Drawn = { as: 'mark', colour: 'mark', values: stood };
  const parked = seconds.map((second) => sum(views(second), (of) => of.parked));
  const kept = seconds.map((second) => sum(views(second), ({ items }) => items?.size ?? 0));
  const hasQueues = views(last(seconds)).some(({ items }) => items !== undefined);
  const leaving = ENDS.map((end) => ({
    as: 'line' as const,
    colour: end,
    dash: DASHES[end],
    values: seconds.map((second) => (1000 * countIn([second], end)) / second.overMs),
  }));
  const incidents = incidentsOf(seconds);
  const parkedLabel = `Parked over the last ten minutes: now ${count(last(parked))}, at most ${count(Math.max(...parked))}.${hasQueues ? ` Items kept: now ${count(last(kept))}, at most ${count(Math.max(...kept))}.` : ''}`;
  const rates = leaving.map(({ colour: end, values }) => `${rate(last(values))} ${end}`);
  const leavingLabel = `Leaving over the last ten minutes, per second. Now: ${rates.join(', ')}. ${plural(incidents.length, 'kind')} of incidents, listed below.`;
  return (
    <Section of="minutes" title="The last ten minutes" class="minutes">
      <p class="legend">
        <span>
          <i style={{ background: 'var(--ember)' }} /> parked
        </span>
        {hasQueues && (
          <span>
            <i style={{ background: 'var(--note)' }} /> items kept
          </span>
        )}
        <span>
          <i class="mark" /> event loop blocked
        </span>
      </p>
      <Chart
        {...axis}
        label={parkedLabel}
        drawn={[
          blocked,
          { as: 'area', colour: 'shade-0', values: parked },
          { as: 'line', colour: 'ember', values: parked },
          ...(hasQueues ? [{ as: 'line', colour: 'note', dash: '6 3', values: kept } as const] : []),
        ]}
      />
      <p class="legend">
        {ENDS.map((end) => (
          <span key={end}>
            <svg class="line" viewBox="0 0 26 4" aria-hidden="true" {...tone(end)}>
              <line x2="26" y1="2" y2="2" stroke-dasharray={DASHES[end]} />
            </svg>{' '}
            {end}
          </span>
        ))}
        a second
      </p>
      <Chart {...axis} label={leavingLabel} drawn={[blocked, ...leaving]} />
      {incidents.length === 0 ? (
        <p class="none">No incident since {clock(seconds[0].wallMs)}.</p>
      ) : (
        <List incidents={incidents.slice(0, MAX_TOLD)} />
      )}
      {incidents.length > MAX_TOLD && (
        <details class="more">
          <summary>{plural(incidents.length - MAX_TOLD, 'more kind', 'more kinds')} of incidents</summary>
          <List incidents={incidents.slice(MAX_TOLD)} />
        </details>
      )}
    </Section>
  );
}

function List({ incidents }: { incidents: readonly Incident[] }): JSX.Element {
  return (
    <ol class="incidents" data-test="incidents">
      {incidents.map(({ rule, what, why, fromMs, untilMs, times, level }) => (
        <li key={rule} data-what={rule} {...tone(level)}>
          <span class="when">
            {clock(fromMs)}–{clock(untilMs)}
            {times > 1 && `, ${count(times)} times`}
          </span>{' '}
          {capitalised(what)}. {why}
        </li>
      ))}
    </ol>
  );
}
