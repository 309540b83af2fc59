// Frames for tests of the page: four a second, one purgatory, one timer. All is well unless a test
// says otherwise.
import type { Frame, HostTime } from '../../../src/observe/inspector/frame.ts';
import type { PurgatoryView, ServedEvents, TimerView } from '../../../src/observe/inspector/view-types.ts';
import { NO_EVENTS } from '../../../src/purgatory/telemetry/events-snapshot.ts';

export interface Change extends Partial<Omit<Frame, 'purgatories' | 'timers' | 'host'>>, Partial<HostTime> {
  readonly purgatory?: Partial<PurgatoryView>;
  readonly timer?: Partial<TimerView>;
}

/** `count` frames; `change` says what is special of the frame with that index. */
export function frames(count: number, change: (index: number) => Change = () => ({})): Frame[] {
  return Array.from({ length: count }, (_, index) => {
    const { purgatory, timer, blockedMs = 2, cpuMs = 20, waitedMs = 0, load = 0.1, ...frame } = change(index);
    return {
      run: 'run',
      atMs: 1000 + 250 * index,
      wallMs: 1_700_000_000_000 + 250 * index,
      host: { blockedMs, cpuMs, waitedMs, load },
      second: null,
      timelines: [],
      buses: [],
      purgatories: [{ ...QUIET_PURGATORY, ...purgatory }],
      timers: [{ ...QUIET_TIMER, ...timer }],
      ...frame,
    };
  });
}

/** A purgatory that serves events. */
export function events(more: Partial<ServedEvents>): { purgatory: { events: ServedEvents } } {
  return { purgatory: { events: { ...NO_EVENTS, ...more } } };
}

const QUIET_PURGATORY: PurgatoryView = {
  name: 'fetch',
  parked: 0,
  watched: 0,
  watchedKeys: 0,
  maxParked: null,
  totals: { completed: 0, expired: 0, cancelled: 0, failed: 0 },
  refused: {},
  events: NO_EVENTS,
  lastError: null,
  hottestKeys: [],
  oldest: [],
};

const QUIET_TIMER: TimerView = {
  name: 'wheels',
  of: ['fetch'],
  tickMs: 1,
  wheelSize: 512,
  nowMs: 0,
  pending: 0,
  rings: [],
  beyond: 0,
  head: null,
  lateness: { leMs: [1, 2, 4, 8, 16, 32, 64, 128], counts: [0, 0, 0, 0, 0, 0, 0, 0, 0] },
  totals: { ran: 0, failed: 0, cascaded: 0, slices: 0 },
  cascades: [],
  lastCascade: null,
};
