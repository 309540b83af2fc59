// The timers and the time of the host: which are its own, and which are a replacement.
//
// The globals are looked up at every call, so a replacement that is installed after the import just
// works. A replacement of setTimeout or setInterval is foreign: a fake, or a wrapper of some tool.
// The drop-in timers of this library are not foreign (`addOurs`), and neither is a wrapper around
// them: an engine that waits for its own timers would wait for itself.
//
// A replacement that came while our timers were the globals stands over them. A direct call of our
// timers then goes past it, as with Node's timers (`foreignToTimers`). The engine follows it
// nevertheless. No event says when a global is replaced: each look remembers whether it found ours.
import { setTimeout as hostSetTimeout } from 'node:timers';
import { rootContext } from './root-context.ts';

/** The host's own, whatever the globals are. */
export const host: Readonly<
  Pick<typeof globalThis, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'>
> = { setTimeout, setInterval, clearTimeout, clearInterval };
const HostDate = Date;
const hostPerformance = performance;
const hostPerformanceNow = performance.now;
/**
 * Whether `host` has the host's own timers indeed. A fake that was installed before this module was
 * loaded passes for the host, but its time jumps in the middle of a turn. It may have replaced the
 * exports of node:timers too. Then its name gives it away (node:test), or its `clock`
 * (@sinonjs/fake-timers).
 */
export const isHostsOwn: boolean =
  setTimeout === hostSetTimeout && setTimeout.name === 'setTimeout' && !('clock' in setTimeout);

/** The longest delay of setTimeout, in ms. A longer wait takes several steps. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1;

type Name = 'setTimeout' | 'setInterval';
type Start = typeof setTimeout | typeof setInterval;

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

/** What tells the time in place of the host. */
export type FakeTime = Pick<typeof Date, 'now'>;

/**
 * The fake of performance, or else of Date: node:test and older fakes do not move performance.
 * Undefined when both are the host's. A stub of Date.now alone is no fake.
 */
export function fakeTime(): FakeTime | undefined {
  if (performance !== hostPerformance || performance.now !== hostPerformanceNow) return performance;
  return Date === HostDate ? undefined : Date;
}

/** A timer of a foreign setTimeout or setInterval, made in the root context. */
export class ForeignTimer {
  readonly #name: Name;
  readonly #start: Start;
  readonly #clear: (timer: never) => void;
  readonly #timer: { ref?(): unknown; unref?(): unknown };

  /** @param start what `foreign(name)` returned. */
  constructor(name: Name, start: Start, callback: () => void, delayMs: number) {
    this.#name = name;
    this.#start = start;
    this.#clear = name === 'setTimeout' ? clearTimeout : clearInterval;
    isCalling = true;
    try {
      this.#timer = rootContext.runInAsyncScope(start, undefined, callback, delayMs) as never;
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
    if (globalThis[this.#name] === this.#start) this.#clear(this.#timer as never);
  }
}
