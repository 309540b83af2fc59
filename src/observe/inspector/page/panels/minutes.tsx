// The last ten minutes: how many operations were parked, how they ended, and the incidents
// meanwhile.
import type { JSX } from 'preact';
import uPlot from 'uplot';
import type { Second } from '../../frame.ts';
import { chosenIn, sum } from '../data/history.ts';
import { type Incident, incidentsOf, isBlockedIn } from '../data/incidents.ts';
import { Section } from '../words/explained.tsx';
import { clock, count, plural } from '../words/format.ts';
import { axis, Chart, colour, countAxis, countScale } from './chart.tsx';
import { Lines, lineSeries } from './rates-chart.tsx';

/** The most incidents that are shown at once, the latest. The others unfold. */
const MAX_TOLD = 6;

const minutesAxis = axis({
  splits: () => [-600, -480, -360, -240, -120, 0],
  values: (_, at) => at.map((s) => (s === 0 ? 'now' : `${s / 60} min`)),
  size: 26,
});
const scales = {
  x: { time: false, range: (): [number, number] => [-600, 0] },
  y: countScale,
  /** Marks seconds in which the event loop was blocked, over the whole height. */
  mark: { range: (): [number, number] => [0, 1] },
};
const blocked = {
  scale: 'mark',
  fill: colour('--mark'),
  width: 0,
  points: { show: false },
  paths: uPlot.paths.bars?.({ size: [1, 60] }),
};
const parkedOptions = {
  scales,
  axes: [minutesAxis, countAxis],
  series: [
    {},
    blocked,
    { stroke: colour('--ember'), fill: colour('--shade-0'), width: 2, points: { show: false } },
  ],
};
const leavingOptions = { scales, axes: [minutesAxis, countAxis], series: [{}, blocked, ...lineSeries] };

export function Minutes({
  seconds,
  chosen,
}: {
  seconds: readonly Second[];
  chosen: string | undefined;
}): JSX.Element {
  const nowMs = seconds.at(-1)?.wallMs ?? 0;
  const atS = seconds.map(({ wallMs }) => (wallMs - nowMs) / 1000);
  const of = (index: 0 | 1 | 2 | 3): number[] =>
    seconds.map((second) => sum(chosenIn(second, chosen), (said) => said[index]));
  const perSecond = (index: 1 | 2 | 3): number[] => of(index).map((n, at) => (1000 * n) / seconds[at].overMs);
  const marks = seconds.map((second) => (isBlockedIn(second) ? 1 : 0));
  const parked = of(0);
  const incidents = incidentsOf(seconds, chosen);
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
            label={`Parked over the last ten minutes: now ${count(parked.at(-1) ?? 0)}, at most ${count(Math.max(0, ...parked))}.`}
            data={[atS, marks, parked]}
            options={parkedOptions}
          />
        </div>
        <div>
          <Lines />
          <Chart
            label={`Leaving over the last ten minutes, per second. ${plural(incidents.length, 'incident')}, listed below.`}
            data={[atS, marks, perSecond(1), perSecond(2), perSecond(3)]}
            options={leavingOptions}
          />
        </div>
      </div>
      <Incidents incidents={incidents} minutes={Math.round((-(atS[0] ?? 0) + 1) / 60)} />
    </Section>
  );
}

function Incidents({ incidents, minutes }: { incidents: readonly Incident[]; minutes: number }): JSX.Element {
  if (incidents.length === 0) {
    return (
      <p class="none">
        No incident in the {minutes < 1 ? 'seconds' : plural(minutes, 'minute')} that the server has kept: no
        blocked event loop, no late timer, no long event, no throws, no refusals.
      </p>
    );
  }
  return (
    <>
      <List incidents={incidents.slice(0, MAX_TOLD)} />
      {incidents.length > MAX_TOLD && (
        <details class="earlier">
          <summary>{plural(incidents.length - MAX_TOLD, 'earlier incident')}</summary>
          <List incidents={incidents.slice(MAX_TOLD)} />
        </details>
      )}
    </>
  );
}

function List({ incidents }: { incidents: readonly Incident[] }): JSX.Element {
  return (
    <ol class="incidents" data-test="incidents">
      {incidents.map(({ what, fromMs, untilMs, inWords }) => (
        <li key={`${what} ${fromMs}`} data-what={what}>
          <span class="when">
            {clock(fromMs)}–{clock(untilMs)}
          </span>{' '}
          {inWords}
        </li>
      ))}
    </ol>
  );
}
