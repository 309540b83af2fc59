// The whole page, drawn anew from the state at each change; preact finds out what differs.
import type { JSX } from 'preact';
import type { Frame } from '../frame.ts';
import { chosenOf, timerOf } from './data/history.ts';
import type { ShownVerdict } from './data/shown-verdict.ts';
import { isSilent } from './data/silence.ts';
import { choose, type State, shown } from './data/store.ts';
import { Buses } from './panels/buses.tsx';
import { Errors } from './panels/errors.tsx';
import { LatenessChart } from './panels/lateness-chart.tsx';
import { Lookup } from './panels/lookup.tsx';
import { Minutes } from './panels/minutes.tsx';
import { RatesChart } from './panels/rates-chart.tsx';
import { HottestKeys, OldestParked } from './panels/tables.tsx';
import { Timelines } from './panels/timelines.tsx';
import { TopBar } from './panels/top-bar.tsx';
import { VerdictStrip } from './panels/verdict-strip.tsx';
import { Waiting } from './panels/waiting.tsx';
import { Wheels } from './panels/wheels.tsx';
import { explanations } from './words/explanations.ts';
import { quoted } from './words/visible.ts';

export function App({ state, verdict }: { state: State; verdict: ShownVerdict | undefined }): JSX.Element {
  const isStale = state.connection === 'lost' || isSilent(state);
  return (
    <>
      <TopBar state={state} />
      <main data-restarts={state.restarts} data-stale={isStale ? '' : undefined}>
        {verdict === undefined ? <Waiting state={state} /> : <Picture state={state} verdict={verdict} />}
      </main>
      <div hidden>
        {Object.entries(explanations).map(([term, text]) => (
          <p key={term} id={`explain-${term}`}>
            {text}
          </p>
        ))}
      </div>
    </>
  );
}

function Picture({ state, verdict }: { state: State; verdict: ShownVerdict }): JSX.Element {
  const { choice, followed } = state;
  const { purgatory } = choice;
  const { frames, seconds } = shown(state);
  const frame = frames[frames.length - 1];
  const views = chosenOf(frame, purgatory);
  const view = timerOf(frame, choice.timer);
  const timelines = frame.timelines.filter((each) => purgatory === undefined || each.purgatory === purgatory);
  return (
    <>
      <VerdictStrip state={state} verdict={verdict} />
      <Lookup state={state} />
      <Buses frame={frame} />
      <Errors views={views} />
      {view !== undefined && <Wheels view={view} timers={<Timers frame={frame} chosen={view.name} />} />}
      <div class="charts">
        <RatesChart frames={frames} seconds={seconds} chosen={purgatory} />
        {view !== undefined && <LatenessChart frames={frames} view={view} isOnly={frame.timers.length < 2} />}
      </div>
      <HottestKeys views={views} />
      <OldestParked views={views} />
      {seconds.length > 0 && <Minutes seconds={seconds} chosen={purgatory} />}
      <Timelines
        timelines={timelines}
        shown={followed?.timeline}
        isTold={frame.timelines.some(({ id }) => id === followed?.timeline.id)}
      />
    </>
  );
}

function Timers({ frame, chosen }: { frame: Frame; chosen: string }): JSX.Element | null {
  if (frame.timers.length < 2) return null;
  return (
    <label class="choose">
      Timer{' '}
      <select value={chosen} onChange={({ currentTarget }) => choose({ timer: currentTarget.value })}>
        {frame.timers.map(({ name, of }) => (
          <option key={name} value={name}>
            {of.length === 0 ? quoted(name) : `of ${of.map(quoted).join(', ')}`}
          </option>
        ))}
      </select>
    </label>
  );
}
