// The whole page, drawn anew from the state at each change; preact finds out what differs.
import type { JSX } from 'preact';
import { chosenOf, timerOf } from './data/history.ts';
import { isSilent, silenceOf } from './data/silence.ts';
import { type State, shown } from './data/store.ts';
import type { Verdict } from './data/verdict.ts';
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
import { Wheels } from './panels/wheels.tsx';
import { explanations } from './words/explanations.ts';
import { time } from './words/format.ts';

export function App({ state, verdict }: { state: State; verdict: Verdict | undefined }): JSX.Element {
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

function Picture({ state, verdict }: { state: State; verdict: Verdict }): JSX.Element {
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
      {view !== undefined && <Wheels view={view} timers={frame.timers} />}
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

/** Before the first frame. */
function Waiting({ state }: { state: State }): JSX.Element {
  if (state.connection === 'lost') {
    return <p class="none">The server does not answer. This page tries again every second.</p>;
  }
  if (!isSilent(state)) return <p class="none">Waiting for the first news of the server.</p>;
  return (
    <section class="wide waiting">
      <p role="status" class="headline">
        The server has not answered yet
      </p>
      <p>For {time(silenceOf(state))} this page has waited for its first news. Either</p>
      <ul>
        <li>the process hangs, is stopped, or gets no CPU; or</li>
        <li>
          this browser has no connection left: over HTTP/1.1 it opens six to a server, and other pages hold
          them all. (The tabs of this page share one.)
        </li>
      </ul>
    </section>
  );
}
