// The whole page, drawn anew from the state at each change; preact finds out what differs.
import type { JSX } from 'preact';
import { last, type Recording } from './data/history.ts';
import { isSilent, silenceOf, type Verdict } from './data/judge.ts';
import type { State } from './data/store.ts';
import { Buses } from './panels/buses.tsx';
import { Holders } from './panels/holders.tsx';
import { Lookup } from './panels/lookup.tsx';
import { Minutes } from './panels/minutes.tsx';
import { QueuesTable } from './panels/queues.tsx';
import { HottestKeys, OldestParked } from './panels/tables.tsx';
import { Timers } from './panels/timers.tsx';
import { TopBar } from './panels/top-bar.tsx';
import { VerdictStrip } from './panels/verdict-strip.tsx';
import { explanations } from './words/explanations.ts';
import { time } from './words/format.ts';

interface Props {
  readonly state: State;
  /** Of the chosen purgatory. */
  readonly recording: Recording;
  readonly verdict: Verdict | undefined;
}

export function App({ state, recording, verdict }: Props): JSX.Element {
  const isStale = state.connection === 'lost' || isSilent(state);
  return (
    <>
      <TopBar state={state} />
      <main data-stale={isStale ? '' : undefined}>
        {verdict === undefined ? <Waiting state={state} /> : <Picture {...{ state, recording, verdict }} />}
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

function Picture({ state, recording, verdict }: Required<Props> & { verdict: Verdict }): JSX.Element {
  const { seconds } = recording;
  const frame = last(recording.frames);
  const { purgatories: views } = frame;
  return (
    <>
      <VerdictStrip state={state} recording={recording} verdict={verdict} />
      <Lookup state={state} />
      <Buses frame={frame} />
      {seconds.length > 0 && <Minutes seconds={seconds} />}
      <QueuesTable views={views} nowMs={frame.wallMs} />
      <HottestKeys views={views} />
      <OldestParked views={views} nowMs={frame.wallMs} />
      <Holders views={views} nowMs={frame.wallMs} />
      <Timers timers={frame.timers} />
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
      <p>
        For {time(silenceOf(state))} this page has waited for its first news. Either the process hangs, is
        stopped, or gets no CPU; or this browser has no connection left: over HTTP/1.1 it opens six to a
        server, and each open window with this page takes one.
      </p>
    </section>
  );
}
