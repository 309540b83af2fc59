// The whole page, drawn anew from the state at each change; preact finds out what differs.
import type { JSX } from 'preact';
import { explanations } from './explanations.ts';
import { chosenOf } from './history.ts';
import { LatenessChart } from './lateness-chart.tsx';
import { RatesChart } from './rates-chart.tsx';
import { choose, type State } from './store.ts';
import { HottestKeys, OldestParked } from './tables.tsx';
import { Timelines } from './timelines.tsx';
import { judge } from './verdict.ts';
import { VerdictStrip } from './verdict-strip.tsx';
import { Warnings } from './warnings.tsx';
import { Wheels } from './wheels.tsx';

export function App({ state }: { state: State }): JSX.Element {
  return (
    <>
      <header class="top">
        <h1>
          purgatory <span>inspector</span>
        </h1>
        <p class="connection" data-connection={state.connection}>
          {CONNECTIONS[state.connection]}
        </p>
      </header>
      <main data-restarts={state.restarts}>
        {state.frames.length === 0 ? (
          <p class="none">Waiting for the first news of the server.</p>
        ) : (
          <Picture state={state} />
        )}
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

const CONNECTIONS = { connecting: 'connecting', live: 'live', lost: 'connection lost' };

function Picture({ state }: { state: State }): JSX.Element {
  const { frames, chosen, timer, followed } = state;
  const frame = frames[frames.length - 1];
  const views = chosenOf(frame, chosen);
  const verdict = judge(frames, chosen);
  const view = frame.timers[timer];
  const timelines = frame.timelines.filter(({ purgatory }) => chosen === undefined || purgatory === chosen);
  return (
    <>
      <VerdictStrip state={state} verdict={verdict} />
      {view !== undefined && (
        <Wheels view={view} timer={timer} timers={<Timers count={frame.timers.length} timer={timer} />} />
      )}
      <div class="charts">
        <RatesChart frames={frames} chosen={chosen} />
        {view !== undefined && <LatenessChart frames={frames} timer={timer} />}
      </div>
      <HottestKeys views={views} />
      <OldestParked views={views} />
      <Timelines
        timelines={timelines}
        shown={followed?.timeline}
        isTold={frame.timelines.some(({ id }) => id === followed?.timeline.id)}
      />
      <Warnings warnings={verdict.warnings} />
    </>
  );
}

function Timers({ count, timer }: { count: number; timer: number }): JSX.Element | null {
  if (count < 2) return null;
  return (
    <label class="choose">
      Timer{' '}
      <select value={timer} onChange={({ currentTarget }) => choose({ timer: Number(currentTarget.value) })}>
        {Array.from({ length: count }, (_, index) => (
          <option key={index} value={index}>
            {index + 1} of {count}
          </option>
        ))}
      </select>
    </label>
  );
}
