// The host's timers and time: which are its own, which are somebody else's.
//
// Ground rules. The globals are looked up afresh at every call, so that what replaces them after the import just works. What replaces
// setTimeout or setInterval is foreign: a fake, or a wrapper for some tool. Not foreign are the library's own drop-in timers, whose
// module says so (`standsOnUs`), and what wraps those, which is found out when it calls back into the engine: to be woken by
// either would go round in a circle.
//
// Costs. O(1), a few ns; what replaces the host's own costs a WeakSet's look-up besides.
import { rootContext } from '../root-context.ts';

/** The host's own, by which a replacement is noticed. */
export const host: Readonly<
  Pick<typeof globalThis, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval' | 'Date'>
> = { setTimeout, setInterval, clearTimeout, clearInterval, Date };
const hostPerformance = performance;
const hostPerformanceNow = performance.now;

/** setTimeout's own limit in ms: what lies further away is waited for in several steps. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1;

type Start = typeof setTimeout | typeof setInterval;

const onUs = new WeakSet<Start>();
/** The foreign ones that are being called, the innermost last. */
const calling: Start[] = [];

/** To be told of what stands on the timers of this library. */
export function standsOnUs(start: (callback: () => void, delayMs?: number) => unknown): void {
  onUs.add(start as Start);
}

/** What stands in for the host's own setTimeout, or setInterval, if that is somebody else's. */
export function foreign(name: 'setTimeout' | 'setInterval'): Start | undefined {
  const current: Start = globalThis[name];
  if (current === host[name] || onUs.has(current)) return undefined;
  if (!calling.includes(current)) return current;
  onUs.add(current);
  return undefined;
}

/** Whether the time is `performance`'s own. */
export function isPerformanceReal(): boolean {
  return performance.now === hostPerformanceNow && performance === hostPerformance;
}

/** False while a fake clock stands in for the host: its time moves in jumps, in the middle of a turn. */
export function isHostTimeReal(): boolean {
  return (
    (setTimeout === host.setTimeout || foreign('setTimeout') === undefined) &&
    Date === host.Date &&
    isPerformanceReal()
  );
}

/** Whether timers and time are a fake clock's, which runs timers synchronously, when it is told to. */
export function isHostFaked(): boolean {
  return foreign('setTimeout') !== undefined && !(Date === host.Date && isPerformanceReal());
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

  /** Whether it has come out, in the constructor or since, that this is a timer of ours in disguise. */
  get standsOnUs(): boolean {
    return onUs.has(this.#start);
  }

  ref(): void {
    this.#timer?.ref?.();
  }

  unref(): void {
    this.#timer?.unref?.();
  }

  /** The timer of a fake that is gone is abandoned: node:test's clearTimeout corrupts the next mock when called after its own. */
  clear(): void {
    if (globalThis[this.#name] === this.#start) this.#clear(this.#timer as never);
  }
}
