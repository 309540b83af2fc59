// How operations left in the last minute; and the last ten minutes: how many were parked, how they
// left, and the incidents meanwhile.
import type { JSX } from 'preact';
import { ENDS, type End, type Second } from '../../frame.ts';
import { countIn, last, sum, views } from '../data/history.ts';
import { type Incident, incidentsOf } from '../data/judge.ts';
import { isBlocked } from '../data/rules.ts';
import { Section } from '../words/explained.tsx';
import { capitalised, clock, count, plural, rate } from '../words/format.ts';
import { tone } from '../words/tone.ts';
import { Chart, type ChartProps, type Drawn } from './chart.tsx';

/** The most incidents that are shown at once, the latest. The others unfold. */
const MAX_TOLD = 6;

type Span = Pick<ChartProps, 'range' | 'ticks'>;

/** How the lines are drawn, and the legend. */
const DASHES: Readonly<Record<End, string>> = {
  completed: '',
  expired: '6 3',
  cancelled: '2 3',
  rejected: '8 2 2 2',
};
const minute: Span = {
  range: [-60, 0],
  ticks: [-60, -40, -20, 0].map((s) => [s, s === 0 ? 'now' : `${s} s`] as const),
};
const minutes: Span = {
  range: [-600, 0],
  ticks: [-10, -8, -6, -4, -2, 0].map((min) => [60 * min, min === 0 ? 'now' : `${min} min`] as const),
};

function perSecond(seconds: readonly Second[], end: End): number[] {
  return seconds.map((second) => (1000 * countIn([second], end)) / second.overMs);
}

/** `lines` over time, and behind them the seconds in which the event loop was blocked. */
function overTime(seconds: readonly Second[], ...lines: Drawn[]): Pick<ChartProps, 'at' | 'drawn'> {
  const blocked = seconds.map((second) => Number(isBlocked(second)));
  return {
    at: seconds.map(({ wallMs }) => (wallMs - last(seconds).wallMs) / 1000),
    drawn: [{ as: 'mark', colour: 'mark', values: blocked }, ...lines],
  };
}

interface LeavingProps {
  readonly seconds: readonly Second[];
  readonly label: string;
  readonly span: Span;
}

/** How operations left. */
function Leaving({ seconds, label, span }: LeavingProps): JSX.Element {
  const lines = ENDS.map((end): Drawn => {
    return { as: 'line', colour: end, dash: DASHES[end], values: perSecond(seconds, end) };
  });
  return (
    <>
      <p class="legend">
        {ENDS.map((end) => (
          <span key={end}>
            <svg class="line" viewBox="0 0 26 4" aria-hidden="true" {...tone(end)}>
              <line x2="26" y1="2" y2="2" stroke-dasharray={DASHES[end]} />
            </svg>{' '}
            {end}
          </span>
        ))}
      </p>
      <Chart label={label} {...span} {...overTime(seconds, ...lines)} />
    </>
  );
}

export function Rates({ seconds }: { seconds: readonly Second[] }): JSX.Element {
  const recent = seconds.slice(-62);
  const now = (end: End): string => `${rate(perSecond(recent.slice(-1), end)[0] ?? 0)} ${end} a second`;
  const label = `The last minute in lines. Now: ${ENDS.map(now).join(', ')}.`;
  return (
    <Section of="rates" title="Leaving, per second">
      <Leaving seconds={recent} label={label} span={minute} />
    </Section>
  );
}

export function Minutes({ seconds }: { seconds: readonly Second[] }): JSX.Element {
  const parkedAt = seconds.map((second) => sum(views(second), ({ parked }) => parked));
  const incidents = incidentsOf(seconds);
  const parkedLabel = `Parked over the last ten minutes: now ${count(last(parkedAt))}, at most ${count(Math.max(...parkedAt))}.`;
  const leavingLabel = `Leaving over the last ten minutes, per second. ${plural(incidents.length, 'incident')}, listed below.`;
  return (
    <Section of="minutes" title="The last ten minutes" class="wide">
      <div class="pair">
        <div>
          <p class="legend">
            <span>parked</span>
            <span>
              <i class="mark" /> event loop blocked
            </span>
          </p>
          <Chart
            label={parkedLabel}
            {...minutes}
            {...overTime(
              seconds,
              { as: 'area', colour: 'shade-0', values: parkedAt },
              { as: 'line', colour: 'ember', values: parkedAt },
            )}
          />
        </div>
        <div>
          <Leaving seconds={seconds} label={leavingLabel} span={minutes} />
        </div>
      </div>
      {incidents.length === 0 ? (
        <p class="none">
          No incident since {clock(seconds[0].wallMs)}: no blocked event loop, no late timer, no long event,
          no throws, no refusals, no bus cut off.
        </p>
      ) : (
        <List incidents={incidents.slice(0, MAX_TOLD)} />
      )}
      {incidents.length > MAX_TOLD && (
        <details class="earlier">
          <summary>{plural(incidents.length - MAX_TOLD, 'earlier incident')}</summary>
          <List incidents={incidents.slice(MAX_TOLD)} />
        </details>
      )}
    </Section>
  );
}

function List({ incidents }: { incidents: readonly Incident[] }): JSX.Element {
  return (
    <ol class="incidents" data-test="incidents">
      {incidents.map(({ rule, what, why, fromMs, untilMs, level }) => (
        <li key={`${rule} ${fromMs}`} data-what={rule} {...tone(level)}>
          <span class="when">
            {clock(fromMs)}–{clock(untilMs)}
          </span>{' '}
          {capitalised(what)}. {why}
        </li>
      ))}
    </ol>
  );
}
