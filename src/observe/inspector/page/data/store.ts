// The state of the page: the frames of the last ten seconds, the seconds of the last ten minutes,
// what the reader has chosen, and whether the server answers.
//
// Ground rules. There is one state, and only this file changes it. Components are notified of each
// change, and twice a second besides, because the age of what is shown grows by itself. A frame of
// another run of the server drops what the last run sent: the totals of two runs have no
// difference. The stream is open only while the tab is visible: over HTTP/1.1 a browser opens six
// connections to a server, and each stream takes one.
import { type AskedOperation, type Found, type Frame, type History, MAX_SECONDS } from '../../frame.ts';
import type { Recording } from './history.ts';
import { type Heard, isSilent, silenceOf } from './judge.ts';
import { type Choice, readLink, writeLink } from './link.ts';

export interface State extends Recording, Heard {
  readonly choice: Choice;
  /** The server's answers to the reader. Undefined: no question, or no answer yet. */
  readonly found: Found | undefined;
  /** Whether the last search found the very key. */
  readonly isExact: boolean;
  readonly asked: { readonly id: number; readonly operation: AskedOperation | undefined } | undefined;
  readonly connection: 'connecting' | 'live' | 'lost';
  /** What is shown in place of the latest, and since when. */
  readonly paused: Recording | undefined;
}

type Listener = () => void;

/** Frames kept: ten seconds of four a second. */
const MAX_FRAMES = 41;
const TICK_MS = 500;
/** The interval of repeated questions to the server, in ms. */
const ASK_MS = 1000;
const RETRY_MS = 1000;
const NO_RUN = { frames: [], seconds: [], silence: undefined };

let state: State = {
  ...NO_RUN,
  found: undefined,
  isExact: false,
  asked: undefined,
  choice: readLink(),
  connection: 'connecting',
  heardMs: undefined,
  openedMs: performance.now(),
  nowMs: performance.now(),
  paused: undefined,
};
const listeners: Listener[] = [];

export function current(): State {
  return state;
}

/** What is shown: the state when the reader paused, or the latest. */
export function shown({ paused, frames, seconds, silence }: State): Recording {
  return paused ?? { frames, seconds, silence };
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
  let close = (): void => {};
  const open = (): void => {
    close();
    if (document.hidden) return;
    change({ connection: 'connecting', openedMs: performance.now() });
    close = read();
  };
  document.addEventListener('visibilitychange', open);
  addEventListener('pagehide', () => close());
  addEventListener('pageshow', ({ persisted }) => persisted && open());
  open();
}

/** Reads the stream. Returns a function that ends the reading. */
function read(): () => void {
  const stream = new EventSource(new URL('events', document.baseURI));
  let close = (): void => stream.close();
  stream.onmessage = ({ data }) => take(JSON.parse(data));
  stream.onerror = () => {
    change({ connection: 'lost' });
    if (stream.readyState !== EventSource.CLOSED) return;
    // The browser gives up where it got an error, or another server's answer.
    const retry = setTimeout(() => {
      close = read();
    }, RETRY_MS);
    close = () => clearTimeout(retry);
  };
  return () => close();
}

function take(frame: Frame): void {
  const isNewRun = state.frames.length > 0 && state.frames[0].run !== frame.run;
  const before = isNewRun ? { ...state, ...NO_RUN } : state;
  const heard = { ...state, nowMs: performance.now() };
  // A page that did not listen all the time has heard no silence.
  const wasSilent = before.heardMs !== undefined && before.heardMs >= before.openedMs && isSilent(heard);
  const { second } = frame;
  const lastNumber = before.seconds.at(-1)?.number ?? 0;
  const isNext = second !== null && second.number === lastNumber + 1;
  change({
    frames: [...before.frames.slice(1 - MAX_FRAMES), frame],
    seconds:
      isNext || (second !== null && lastNumber === 0)
        ? [...before.seconds.slice(1 - MAX_SECONDS), second]
        : before.seconds,
    silence: wasSilent && !isNewRun ? { forMs: silenceOf(heard), untilMs: frame.wallMs } : before.silence,
    connection: 'live',
    heardMs: heard.nowMs,
  });
  if (second !== null && !isNext && second.number !== lastNumber) readHistory();
}
/**
 * Asks the server for what the reader looks at. A search of all keys costs the server time, so it
 * is done once. A key that was found exactly is looked up again and again.
 */
async function ask(searches = false): Promise<void> {
  if (document.hidden || state.paused !== undefined) return;
  const { choice, asked, found } = state;
  if (choice.key === undefined) {
    if (found !== undefined) change({ found: undefined });
  } else if (searches || state.isExact) {
    const params = new URLSearchParams({ text: choice.key });
    if (choice.purgatory !== undefined) params.set('purgatory', choice.purgatory);
    if (searches) params.set('search', '');
    const news = await get<Found>('keys', params);
    if (news === undefined || state.choice !== choice) return;
    if (searches) change({ found: news, isExact: news.exact > 0 });
    else {
      const others = found?.keys.slice(found.exact) ?? [];
      change({ found: { ...news, keys: [...news.keys, ...others], isWhole: found?.isWhole ?? true } });
    }
  }
  if (asked === undefined) return;
  const operation = await get<AskedOperation>('operation', new URLSearchParams({ id: `${asked.id}` }));
  if (state.asked?.id === asked.id && operation !== undefined) change({ asked: { id: asked.id, operation } });
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
  if (read !== undefined && read.run === state.frames[0]?.run) change({ seconds: read.seconds });
}

function change(by: Partial<State>): void {
  state = { ...state, ...by, nowMs: performance.now() };
  for (const listener of listeners) listener();
}
