// What the page knows: the frames of the last minute, what the reader has chosen, and whether the server is there.
//
// Ground rules. One state, changed here alone; whoever draws is told of each change. The stream is open only while the page is
// visible. A frame of another run of the server drops what the last run told: totals of two runs have no difference.
import type { Frame } from '../frame.ts';
import { type Followed, follow } from './follow.ts';
import { MAX_FRAMES } from './history.ts';

export interface State {
  readonly frames: readonly Frame[];
  readonly connection: 'connecting' | 'live' | 'lost';
  /** How often the server was found to have been started anew. */
  readonly restarts: number;
  /** The purgatory shown; undefined: all. */
  readonly chosen: string | undefined;
  /** The timer shown. */
  readonly timer: number;
  /** The operation whose life is shown, as last told. */
  readonly followed: Followed | undefined;
}

type Listener = (state: State, news: Frame | undefined) => void;

let state: State = {
  frames: [],
  connection: 'connecting',
  restarts: 0,
  chosen: undefined,
  timer: 0,
  followed: undefined,
};
const listeners: Listener[] = [];
let stream: EventSource | undefined;

export function current(): State {
  return state;
}

export function onChange(listener: Listener): void {
  listeners.push(listener);
}

/** What the reader chose. */
export function choose(choice: Partial<Pick<State, 'chosen' | 'timer' | 'followed'>>): void {
  change(choice, undefined);
}

/** Follows the server from now on, whenever the page is visible. */
export function connect(): void {
  document.addEventListener('visibilitychange', open);
  open();
}

function open(): void {
  stream?.close();
  stream = undefined;
  if (document.hidden) return;
  stream = new EventSource(new URL('events', document.baseURI));
  stream.onmessage = ({ data }) => take(JSON.parse(data));
  stream.onerror = () => {
    change({ connection: 'lost' }, undefined);
    // The browser tries again by itself, unless somebody else answered in the server's place.
    if (stream?.readyState === EventSource.CLOSED) setTimeout(open, 1000);
  };
}

function take(frame: Frame): void {
  const last = state.frames.at(-1);
  const isNewRun = last !== undefined && last.run !== frame.run;
  const frames = isNewRun ? [frame] : [...state.frames.slice(1 - MAX_FRAMES), frame];
  change(
    {
      frames,
      connection: 'live',
      restarts: state.restarts + (isNewRun ? 1 : 0),
      timer: state.timer < frame.timers.length ? state.timer : 0,
      chosen: frame.purgatories.some(({ name }) => name === state.chosen) ? state.chosen : undefined,
      followed: follow(isNewRun ? undefined : state.followed, frame.timelines, frame.atMs),
    },
    frame,
  );
}

function change(by: Partial<State>, news: Frame | undefined): void {
  state = { ...state, ...by };
  for (const listener of listeners) listener(state, news);
}
