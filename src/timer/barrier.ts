// Waits for one thing to happen, with a deadline and a signal, of what is no purgatory: that nothing
// is held any more, that a stream has drained. A barrier is what several wait for.
//
// Ground rules. A wait that has ended stands in no timer, and follows no signal. It outlives the timer
// of its object, which closes at a shutdown: all waits on a clock share a timer that nobody closes.
import { addAbortable, removeAbortable, throwIfAborted } from '../base/abort-listeners.ts';
import { checkedSignal, checkedTimeout } from '../base/checks.ts';
import { type Checked, optional, type Rules, readOptions } from '../base/options.ts';
import type { Clock } from '../clock/clock.ts';
import { SystemTimer } from './system-timer.ts';

/** How long to wait; all may be left out. */
export interface BarrierOptions {
  /** The deadline in ms from now. Default Infinity: without one, the wait keeps no process alive. */
  timeoutMs?: number | undefined;
  /** Gives up the wait: the promise is rejected with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** Whether the deadline came first. */
export interface BarrierResult {
  expired: boolean;
}

const OPTIONS: Rules<Checked<BarrierOptions, 'timeoutMs' | 'signal'>> = {
  timeoutMs: optional(checkedTimeout),
  signal: optional(checkedSignal),
};
const timers = new WeakMap<Clock, SystemTimer>();

/** Ends a wait: with an error, if there is one. */
type End = (error?: Error) => void;

/**
 * Rejects as its options say, and with an error that `end` is given.
 *
 * @param begin begins to wait, and returns what stops that. It calls `end` later, and not itself.
 *   Undefined: it has happened already.
 */
export async function waitOnce(
  clock: Clock,
  options: BarrierOptions | undefined,
  begin: ((end: End) => () => void) | undefined,
): Promise<BarrierResult> {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal } = readOptions('a wait', options, OPTIONS);
  throwIfAborted(signal);
  if (begin === undefined) return { expired: false };
  return new Promise((resolve, reject) => {
    const settle = (expired: boolean, error?: unknown): void => {
      task?.cancel();
      stop();
      if (signal !== undefined) removeAbortable(signal, abortable);
      if (error === undefined) resolve({ expired });
      else reject(error);
    };
    const abortable = { abort: (reason: unknown) => settle(false, reason) };
    const stop = begin((error) => settle(false, error)); // first: it may throw
    const isEndless = timeoutMs === Number.POSITIVE_INFINITY;
    const task = isEndless ? undefined : timerOf(clock).schedule(() => settle(true), timeoutMs);
    if (signal !== undefined) addAbortable(signal, abortable);
  });
}

function timerOf(clock: Clock): SystemTimer {
  const timer = timers.get(clock) ?? new SystemTimer({ clock });
  timers.set(clock, timer);
  return timer;
}

export class Barrier {
  readonly #ends = new Set<End>();

  get isAwaited(): boolean {
    return this.#ends.size > 0;
  }

  /** What all wait for has happened. */
  open(): void {
    for (const end of this.#ends) end();
  }

  wait(clock: Clock, isOpen: boolean, options: BarrierOptions | undefined): Promise<BarrierResult> {
    const begin = (end: End): (() => void) => {
      this.#ends.add(end);
      return () => this.#ends.delete(end);
    };
    return waitOnce(clock, options, isOpen ? undefined : begin);
  }
}
