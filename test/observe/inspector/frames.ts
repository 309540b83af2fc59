// Frames and seconds for tests of the page: one purgatory, one timer. All is well unless a test says
// otherwise.

import { LocalHub } from '../../../src/bus/index.ts';
import { ManualClock, Purgatory, SystemTimer } from '../../../src/index.ts';
import type {
  BusView,
  Frame,
  PurgatoryView,
  Second,
  SecondOfPurgatory,
  Spent,
  TimerView,
} from '../../../src/observe/inspector/frame.ts';
import type { Recording } from '../../../src/observe/inspector/page/data/history.ts';
import type { EventsSnapshot } from '../../../src/purgatory/telemetry/purgatory-snapshot.ts';
import { NO_EVENTS } from '../../../src/purgatory/telemetry/purgatory-snapshot.ts';

/** When the last of the seconds and of the frames ends. */
export const NOW_MS = 1_700_000_000_000;

const clock = new ManualClock();
const timer = new SystemTimer({ clock });
const QUIET_PURGATORY: PurgatoryView = {
  ...new Purgatory('fetch', { timer }).snapshot(),
  oldest: [],
};
const QUIET_TIMER: TimerView = {
  ...timer.snapshot(),
  name: 'wheels',
  of: ['fetch'],
};

export interface Change extends Partial<Omit<Frame, 'purgatories'>> {
  readonly purgatory?: Partial<PurgatoryView>;
}

/** `count` frames, four a second; `change` says what is special of the frame with that index. */
export function frames(count: number, change: (index: number) => Change = () => ({})): Frame[] {
  return Array.from({ length: count }, (_, index) => {
    const { purgatory, ...frame } = change(index);
    return {
      run: 'run',
      wallMs: NOW_MS - 250 * (count - 1 - index),
      second: null,
      buses: [],
      purgatories: [{ ...QUIET_PURGATORY, ...purgatory }],
      timers: [QUIET_TIMER],
      ...frame,
    };
  });
}

/** What is told: the frames of 10 s, with `change` made to all of them. */
export function present(change: Change = {}, more: Partial<Recording> = {}): Recording {
  return { frames: frames(41, () => change), seconds: [], silence: undefined, ...more };
}

/** A purgatory that serves events. */
export function events(more: Partial<EventsSnapshot>): Change {
  return { purgatory: { events: { ...NO_EVENTS, ...more } } };
}

export interface SecondChange extends Partial<Omit<Second, 'blocked'>> {
  readonly blocked?: Partial<Spent>;
  readonly fetch?: Partial<SecondOfPurgatory>;
  /** The lateness of the timer. */
  readonly late?: number | null;
}

/** `count` seconds, the last of which ends now; `change` says what is special of one, from 1 on. */
export function seconds(count: number, change: (number: number) => SecondChange = () => ({})): Second[] {
  return Array.from({ length: count }, (_, index) => {
    const { blocked, fetch, late = 1, ...second } = change(index + 1);
    return {
      number: index + 1,
      wallMs: NOW_MS - 1000 * (count - 1 - index),
      overMs: 1000,
      ranMs: 20,
      waitedMs: 0,
      blocked: { overMs: 2, ranMs: 2, waitedMs: 0, ...blocked },
      purgatories: { fetch: { parked: 1, ...fetch }, jobs: { parked: 0 } },
      timers: { wheels: { ran: 10, latenessMs: late } },
      ...second,
    };
  });
}

/** A bus that is live, unless a test says otherwise. */
export function bus(more: Partial<BusView>): BusView {
  return { ...new LocalHub().bus({ clock }).snapshot(), state: 'live', name: null, ...more };
}
