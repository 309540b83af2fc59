// The timers and the time of the host: which are its own, and which are a replacement.
//
// Ground rules. The globals are looked up at every call, so a replacement that is installed after
// the import just works. A replacement of setTimeout or setInterval is foreign: a fake, or a
// wrapper of some tool. The drop-in timers of this library are not foreign: their module says so
// (`standsOnUs`). A wrapper around them is not foreign either. The engine detects such a wrapper
// when it calls back into the engine. An engine that waits for its own timers would wait for
// itself.
//
// A replacement that came while our timers were the global stands over us. Who calls our timers
// themselves then goes past it, or comes from it. So our timers are the host's then, as Node's
// would be, and never call it (`foreignToTimers`). The engine follows it all the same. Nobody tells
// when a global is replaced. So each look remembers what was there, and the next look compares.
//
// Costs. O(1), a few ns. A replacement costs a look-up in a WeakSet besides.
import { setTimeout as hostSetTimeout } from 'node:timers';
import { rootContext } from './root-context.ts';

/** The host's own, to compare the globals with. */
export const host: Readonly<
  Pick<typeof globalThis, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval' | 'Date'>
> = { setTimeout, setInterval, clearTimeout, clearInterval, Date };
/**
 * Whether `host` has the host's own timers indeed. A fake that was installed before this module was
 * loaded passes for the host, but its time jumps in the middle of a turn. It may have replaced the
 * exports of node:timers too. Then its name tells it (node:test), or its `clock`
 * (@sinonjs/fake-timers).
 */
export const isHostsOwn: boolean =
  setTimeout === hostSetTimeout && setTimeout.name === 'setTimeout' && !('clock' in setTimeout);
const hostPerformance = performance;
const hostPerformanceNow = performance.now;

/** The longest delay of setTimeout, in ms. A longer wait takes several steps. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1;

type Start = typeof setTimeout | typeof setInterval;

const onUs = new WeakSet<Start>();
/** The foreign functions that are being called, the innermost last. */
const calling: Start[] = [];

/** Says that `start` uses the timers of this library. */
export function standsOnUs(start: (callback: () => void, delayMs?: number) => unknown): void {
  onUs.add(start as Start);
}

/** What was the global at the last look. */
const seen = { setTimeout: host.setTimeout as Start, setInterval: host.setInterval as Start };
/** The replacements that came while our timers were the global. */
const overUs = new WeakSet<Start>();

function isOurs(start: Start): boolean {
  return onUs.has(start) || overUs.has(start);
}

/**
 * Whether `current` replaced our timers. A fake of @sinonjs/fake-timers (sinon, jest, vitest) keeps
 * what it has replaced. Else what was seen before tells, or the other global.
 */
function hasReplacedOurs(name: 'setTimeout' | 'setInterval', current: Start): boolean {
  const replaced = (current as { clock?: Record<string, unknown> }).clock?.[`_${name}`];
  if (typeof replaced === 'function') return isOurs(replaced as Start);
  return isOurs(seen[name]) || isOurs(globalThis.setTimeout) || isOurs(globalThis.setInterval);
}

function look(name: 'setTimeout' | 'setInterval'): Start {
  const current: Start = globalThis[name];
  if (current === seen[name]) return current;
  if (current !== host[name] && !onUs.has(current) && hasReplacedOurs(name, current)) overUs.add(current);
  seen[name] = current;
  return current;
}

/** The foreign replacement of setTimeout or setInterval. Undefined when there is none. */
export function foreign(name: 'setTimeout' | 'setInterval'): Start | undefined {
  const current = look(name);
  if (current === host[name] || onUs.has(current)) return undefined;
  if (!calling.includes(current)) return current;
  onUs.add(current);
  return undefined;
}

/** As `foreign`, for the drop-in timers. Undefined also for a replacement that stands over them. */
export function foreignToTimers(name: 'setTimeout' | 'setInterval'): Start | undefined {
  const start = foreign(name);
  return start !== undefined && overUs.has(start) ? undefined : start;
}

/** Whether `performance.now` is the host's own. */
export function isPerformanceReal(): boolean {
  return performance.now === hostPerformanceNow && performance === hostPerformance;
}

/**
 * False while a fake clock replaces the host's: its time moves in jumps, in the middle of a turn.
 */
export function isHostTimeReal(): boolean {
  return (
    (setTimeout === host.setTimeout || foreign('setTimeout') === undefined) &&
    Date === host.Date &&
    isPerformanceReal()
  );
}

/** A timer of a foreign setTimeout or setInterval, made in the root context. */
export class ForeignTimer {
  readonly #name: 'setTimeout' | 'setInterval';
  readonly #start: Start;
  readonly #clear: (timer: never) => void;
  readonly #timer: { ref?(): unknown; unref?(): unknown };

  /** @param start what `foreign(name)` returned. */
  constructor(name: 'setTimeout' | 'setInterval', start: Start, callback: () => void, delayMs: number) {
    this.#name = name;
    this.#start = start;
    this.#clear = name === 'setTimeout' ? clearTimeout : clearInterval;
    calling.push(start);
    try {
      this.#timer = rootContext.runInAsyncScope(start, undefined, callback, delayMs) as never;
    } finally {
      calling.pop();
    }
  }

  /**
   * Whether `start` was found, in the constructor or later, to use a timer of this library.
   */
  get standsOnUs(): boolean {
    return onUs.has(this.#start);
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
