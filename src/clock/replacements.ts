// The timers and the time of the host, when they are replaced: by what, and by what they go then.
//
// The globals are looked up at every call, so a replacement that is installed after the import just
// works. A replacement of setTimeout or setInterval is foreign: a fake, whose time a test moves, or a
// wrapper, by which an agent or zone.js follows what the host does. A fake says so; all else is taken
// for a wrapper, and the host's time for its time. The drop-in timers of this library are not foreign
// (`addOurs`), and neither is a wrapper around them: an engine that waits for its own timers would
// wait for itself.
//
// A replacement that came while our timers were the globals stands over them. A direct call of our
// timers then goes past it, as with Node's timers (`foreignToTimers`). The engine follows it
// nevertheless. No event says when a global is replaced: each look remembers whether it found ours.
//
//   true              when
//   isHostsOwn        what `host` took at import is Node's own setTimeout
//   isHostFake        it was a fake then, which so passes for the host (system-clock.ts)
//   isHostFaked()     a fake moves the host's own functions now, as Bun's does
//   isFake(start)     `start` says that it is one
//   isOurs, wereOurs  it wraps our drop-in timers; the last look found them
//   isStill           of a clock: no time passes in a turn. isStepped: a fake wakes it, too
import { HostDate, host, hostPerformance, hostPerformanceNow, isSetTimeoutOfNode } from '../base/host.ts';
import { hrtimeMs } from './hrtime.ts';
import { inRootContext } from './root-context.ts';

/** Whether `host` has the host's own timers, and not a wrapper or a fake that was there first. */
export const isHostsOwn: boolean = isSetTimeoutOfNode && !isFake(host.setTimeout);

/** The longest delay of setTimeout, in ms. A longer wait takes several steps. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1;

type Name = 'setTimeout' | 'setInterval';
type Start = (typeof setTimeout | typeof setInterval) & { readonly clock?: FakeClock };

/** What @sinonjs/fake-timers gives each of its functions: sinon, jest and vitest use it. */
interface FakeClock {
  tick(ms: number): void;
  /** The time that ticks, as [s, ns]. `setSystemTime` does not move it. */
  hrtime?(): [number, number];
}

const ours = new WeakSet<Start>();
/** Whether ours were the global at the last look that found no replacement. */
let wereOurs = false;
/** Whether a replacement is being called: one that calls our timers is a wrapper around them. */
let isCalling = false;

/** Adds one of the drop-in timers to those that are no replacement. */
export function addOurs(start: (callback: () => void, delayMs?: number) => unknown): void {
  ours.add(start as Start);
}

/** The foreign replacement of setTimeout or setInterval. Undefined when there is none. O(1). */
export function foreign(name: Name): Start | undefined {
  const current: Start | undefined = globalThis[name];
  if (current === host[name]) {
    if (name === 'setTimeout') wereOurs = false;
    return undefined;
  }
  if (typeof current !== 'function') return undefined;
  if (isCalling) ours.add(current);
  if (!ours.has(current)) return current;
  wereOurs = true;
  return undefined;
}

/**
 * As `foreign`, for the drop-in timers. Undefined also for a replacement that stands over them. If
 * no look came before it, the other global decides: ours were both.
 */
export function foreignToTimers(name: Name): Start | undefined {
  const start = foreign(name);
  if (start === undefined || wereOurs) return undefined;
  return ours.has(globalThis.setTimeout) || ours.has(globalThis.setInterval) ? undefined : start;
}

/** What tells the time in place of the host: a global that a fake moves, or the clock of the fake. */
export type FakeTime = Pick<typeof Date, 'now'> | Required<Pick<FakeClock, 'hrtime'>>;

/** Whether `start` says that it is a fake: by its `clock`, or by its name, as that of node:test. */
export function isFake(start: Start): boolean {
  return typeof start.clock?.tick === 'function' || start.name === 'bound #createTimer';
}

/** Whether the host's own functions are a fake: that of Bun's test runner replaces none. */
export function isHostFaked(): boolean {
  return (host.setTimeout as { clock?: unknown }).clock === true;
}

const hostTime: FakeTime = { now: hrtimeMs };

/**
 * The time of the fake that `start` is of, if it moves performance, or else Date: node:test and
 * older fakes do not move performance. Undefined when both are the host's. A stub of Date.now alone
 * is no fake.
 */
export function fakeTime(start: Start): FakeTime | undefined {
  if (isHostFaked()) return hostTime;
  if (performance !== hostPerformance || performance.now !== hostPerformanceNow) return performance;
  if (Date === HostDate) return undefined;
  return typeof start.clock?.hrtime === 'function' ? (start.clock as Required<FakeClock>) : Date;
}

/** In ms. Of a clock, what it has ticked: its Date may be set to any time, which moves no timer. */
export function readFake(time: FakeTime): number {
  if (!('hrtime' in time)) return time.now();
  const [s, ns] = time.hrtime();
  return s * 1e3 + ns / 1e6;
}

/** What a setTimeout returns. In a browser, and what is made like one, it is a number. */
export type HostTimer = { ref?(): unknown; unref?(): unknown } | null | undefined;

/** A timer of a foreign setTimeout or setInterval, made in the root context. */
export class ForeignTimer {
  readonly #name: Name;
  readonly #start: Start;
  readonly #clear: (timer: never) => void;
  readonly #timer: HostTimer;

  /** @param start what `foreign(name)` returned. */
  constructor(name: Name, start: Start, callback: () => void, delayMs: number) {
    this.#name = name;
    this.#start = start;
    this.#clear = name === 'setTimeout' ? clearTimeout : clearInterval;
    isCalling = true;
    try {
      this.#timer = inRootContext(start, undefined, callback, delayMs) as never;
    } finally {
      isCalling = false;
    }
  }

  /** Whether `start` was found to be a wrapper around the drop-in timers. */
  get isOurs(): boolean {
    return ours.has(this.#start);
  }

  ref(): void {
    this.#timer?.ref?.();
  }

  unref(): void {
    this.#timer?.unref?.();
  }

  /**
   * A timer of a fake that was removed is not cleared: the clearTimeout of a finished node:test
   * mock, if it is called, corrupts the next mock.
   */
  clear(): void {
    if (!isFake(this.#start) || globalThis[this.#name] === this.#start) this.#clear(this.#timer as never);
  }
}
