// The state of the page: the frames of the last minute, the seconds of the last ten minutes, what
// the reader has chosen, and whether the server answers.
//
// Ground rules. There is one state, and only this file changes it. Components are notified of each
// change, and twice a second besides, because the age of what is shown grows by itself. A frame of
// another run of the server drops what the last run sent: the totals of two runs have no
// difference.
import { type AskedOperation, type Found, type Frame, type History, MAX_SECONDS } from '../../frame.ts';
import { type Followed, follow } from './follow.ts';
import { MAX_FRAMES } from './history.ts';
import { type Choice, readLink, writeLink } from './link.ts';
import { type Heard, hangOf, type Told } from './silence.ts';
import { listen } from './stream.ts';

export interface State extends Told, Heard {
  readonly choice: Choice;
  /** The server's answers to the reader. Undefined: nothing was asked, or there is no answer yet. */
  readonly found: Found | undefined;
  readonly asked: { readonly id: number; readonly operation: AskedOperation | undefined } | undefined;
  readonly connection: 'connecting' | 'live' | 'lost';
  /** How often the page has noticed a restart of the server. */
  readonly restarts: number;
  /** What is shown in place of the latest, and since when. */
  readonly paused: Told | undefined;
  /** The operation whose life is shown, as last received. */
  readonly followed: Followed | undefined;
}

type Listener = (state: State, news: Frame | undefined) => void;

const TICK_MS = 500;
/** The interval of repeated questions to the server, in ms. */
const ASK_MS = 1000;

let state: State = {
  frames: [],
  seconds: [],
  hang: undefined,
  found: undefined,
  asked: undefined,
  choice: readLink(),
  connection: 'connecting',
  heardMs: undefined,
  openedMs: performance.now(),
  nowMs: performance.now(),
  restarts: 0,
  paused: undefined,
  followed: undefined,
};
const listeners: Listener[] = [];

export function current(): State {
  return state;
}

/** What is shown: the state when the reader paused, or the latest. */
export function shown({ paused, frames, seconds, hang }: State): Told {
  if (paused !== undefined) return paused;
  // Until the history has arrived, the last second of it is known from the first frame.
  const last = seconds.length === 0 ? frames.at(-1)?.second : undefined;
  return { frames, seconds: last ? [last] : seconds, hang };
}

export function onChange(listener: Listener): void {
  listeners.push(listener);
}

export function choose(choice: Partial<Choice>): void {
  change({ choice: { ...state.choice, ...choice } });
  writeLink(state.choice);
  if ('key' in choice || 'purgatory' in choice) ask(true);
}

/** Shows an operation with all its keys. Undefined: shows none. */
export function askFor(id: number | undefined): void {
  change({ asked: id === undefined ? undefined : { id, operation: undefined } });
  ask();
}

export function followLife(followed: Followed): void {
  change({ followed });
}

export function pause(): void {
  change({ paused: state.paused === undefined ? shown(state) : undefined });
}

/** Follows the server from now on, whenever the page is visible. */
export function connect(): void {
  addEventListener('hashchange', () => {
    change({ choice: readLink() });
    ask(true);
  });
  setInterval(() => change({}), TICK_MS);
  setInterval(() => ask(), ASK_MS);
  ask(true);
  listen({
    opened: () => change({ connection: 'connecting', openedMs: performance.now() }),
    message: (data) => take(JSON.parse(data)),
    lost: () => change({ connection: 'lost' }),
  });
}

function take(frame: Frame): void {
  const last = state.frames.at(-1);
  const isNewRun = last !== undefined && last.run !== frame.run;
  const before = isNewRun ? { frames: [], seconds: [], followed: undefined } : state;
  const hang = isNewRun ? undefined : (hangOf({ ...state, nowMs: performance.now() }, frame) ?? state.hang);
  const { second } = frame;
  const lastSecond = before.seconds.at(-1);
  const isNext = second !== null && second.number === (lastSecond?.number ?? 0) + 1;
  change(
    {
      frames: [...before.frames.slice(1 - MAX_FRAMES), frame],
      seconds: isNext ? [...before.seconds.slice(1 - MAX_SECONDS), second] : before.seconds,
      hang,
      connection: 'live',
      heardMs: performance.now(),
      restarts: state.restarts + (isNewRun ? 1 : 0),
      followed: follow(before.followed, frame.timelines, frame.atMs),
    },
    frame,
  );
  if (second !== null && !isNext && second.number !== lastSecond?.number) readHistory();
}

/**
 * Asks the server for the reader's key, if there is one. A search of all keys costs the server
 * time, so it is done once.
 */
async function ask(searches = false): Promise<void> {
  if (document.hidden || state.paused !== undefined) return;
  const { choice, asked } = state;
  if (choice.key === undefined) {
    if (state.found !== undefined) change({ found: undefined });
  } else if (searches || state.found?.isExact === true) {
    const params = new URLSearchParams({ text: choice.key });
    if (choice.purgatory !== undefined) params.set('purgatory', choice.purgatory);
    if (searches) params.set('search', '');
    const found = await get<Found>('keys', params);
    if (found !== undefined && state.choice === choice) change({ found: searches ? found : anew(found) });
  }
  if (asked === undefined) return;
  const operation = await get<AskedOperation>('operation', new URLSearchParams({ id: `${asked.id}` }));
  if (state.asked?.id === asked.id && operation !== undefined) change({ asked: { id: asked.id, operation } });
}

/** `found`, which was made without a search, plus the other keys that the search had found. */
function anew(found: Found): Found {
  const spelledSo = found.keys.map(({ purgatory, key }) => `${purgatory} ${key}`);
  const besides = (state.found?.keys ?? []).filter(
    ({ purgatory, key }) => key !== found.text && !spelledSo.includes(`${purgatory} ${key}`),
  );
  return {
    ...found,
    isExact: true,
    isWhole: state.found?.isWhole ?? true,
    keys: [...found.keys, ...besides],
  };
}

/**
 * Undefined when the server does not answer. The stream reports that the server is gone, and the
 * question is repeated later.
 */
async function get<T>(address: string, params = new URLSearchParams()): Promise<T | undefined> {
  try {
    const url = new URL(address, document.baseURI);
    url.search = `${params}`;
    const answer = await fetch(url);
    return answer.ok ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}

let isReading = false;

/** Reads the part of the history that this page does not have. */
async function readHistory(): Promise<void> {
  if (isReading) return;
  isReading = true;
  const read = await get<History>('history');
  isReading = false;
  if (read !== undefined && read.run === state.frames.at(-1)?.run) change({ seconds: read.seconds });
}

function change(by: Partial<State>, news?: Frame): void {
  state = { ...state, ...by, nowMs: performance.now() };
  for (const listener of listeners) listener(state, news);
}
