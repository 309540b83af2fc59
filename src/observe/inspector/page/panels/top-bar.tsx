// The bar at the top: whether the page is live, the search, and the buttons for the reader.
import { Component, createRef, type JSX } from 'preact';
import { exportShown } from '../data/export.ts';
import { isSilent } from '../data/judge.ts';
import { choose, pause, type State } from '../data/store.ts';
import { clock } from '../words/format.ts';
import { tone } from '../words/tone.ts';

export function TopBar({ state }: { state: State }): JSX.Element {
  const connection = state.connection === 'live' && isSilent(state) ? 'silent' : state.connection;
  const isPaused = state.paused !== undefined;
  return (
    <header class="top">
      <h1>
        purgatory <span>inspector</span>
      </h1>
      <Search text={state.choice.key ?? ''} />
      <div class="acts">
        <button type="button" class="act" aria-pressed={isPaused} onClick={pause}>
          Pause
        </button>
        <button type="button" class="act" disabled={state.frames.length === 0} onClick={exportShown}>
          Export JSON
        </button>
      </div>
      <p class="connection" {...tone(isPaused ? undefined : TONES[connection])}>
        {isPaused ? `paused at ${clock(state.paused?.frames.at(-1)?.wallMs ?? 0)}` : CONNECTIONS[connection]}
      </p>
    </header>
  );
}

const CONNECTIONS = { connecting: 'connecting', live: 'live', silent: 'silent', lost: 'connection lost' };
const TONES = { connecting: undefined, live: 'well', silent: 'bad', lost: 'bad' };

/**
 * Drawn once. The page is drawn anew four times a second, and that must not remove what the reader
 * types.
 */
class Search extends Component<{ text: string }> {
  readonly #input = createRef<HTMLInputElement>();

  override shouldComponentUpdate({ text }: { text: string }): boolean {
    const input = this.#input.current;
    if (input !== null && text !== this.props.text) input.value = text;
    return false;
  }

  override render(): JSX.Element {
    return (
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            choose({ key: this.#input.current?.value || undefined });
          }}
        >
          <input
            ref={this.#input}
            type="search"
            name="key"
            aria-label="Find a key"
            placeholder="Find a key"
            autocomplete="off"
            spellcheck={false}
            defaultValue={this.props.text}
          />
          <button type="submit" class="act">
            Find
          </button>
        </form>
      </search>
    );
  }
}
