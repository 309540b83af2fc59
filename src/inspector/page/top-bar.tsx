// The bar at the top: whether the page is live, the search, and what the reader can do with what is shown.
import type { JSX } from 'preact';
import { exportShown } from './export.ts';
import { clock } from './format.ts';
import { isSilent } from './silence.ts';
import { choose, pause, type State } from './store.ts';

export function TopBar({ state }: { state: State }): JSX.Element {
  const connection = state.connection === 'live' && isSilent(state) ? 'silent' : state.connection;
  const isPaused = state.paused !== undefined;
  return (
    <header class="top">
      <h1>
        purgatory <span>inspector</span>
      </h1>
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const text = String(new FormData(event.currentTarget).get('key'));
            choose({ key: text === '' ? undefined : text });
          }}
        >
          <input
            type="search"
            name="key"
            aria-label="Find a key"
            placeholder="Find a key"
            autocomplete="off"
            spellcheck={false}
            value={state.choice.key ?? ''}
          />
          <button type="submit" class="act">
            Find
          </button>
        </form>
      </search>
      <div class="acts">
        <button type="button" class="act" aria-pressed={isPaused} onClick={pause}>
          Pause
        </button>
        <button type="button" class="act" disabled={state.frames.length === 0} onClick={exportShown}>
          Export JSON
        </button>
      </div>
      <p class="connection" data-connection={isPaused ? 'paused' : connection}>
        {isPaused ? `paused at ${clock(state.paused?.frames.at(-1)?.wallMs ?? 0)}` : CONNECTIONS[connection]}
      </p>
    </header>
  );
}

const CONNECTIONS = { connecting: 'connecting', live: 'live', silent: 'silent', lost: 'connection lost' };
