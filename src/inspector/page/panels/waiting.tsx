// What the page says before the first frame.
import type { JSX } from 'preact';
import { isSilent, silenceOf } from '../data/silence.ts';
import type { State } from '../data/store.ts';
import { time } from '../words/format.ts';

export function Waiting({ state }: { state: State }): JSX.Element {
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
