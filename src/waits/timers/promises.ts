// node:timers/promises on timing wheels: setTimeout, and setInterval as an async iterator.
//
// Invariants. An abort, and the end of the timer, leave no listener on the signal. The code after
// an await goes on in its own async context.
import { type Abortable, abortReason, addAbortable, removeAbortable } from '../../base/abort-listeners.ts';
import { checkedBoolean, checkedOptions, checkedSignal } from '../../base/checks.ts';
import { ScheduledTimeout } from './timeout.ts';

/** The options of both. */
export interface TimerOptions {
  /** Gives up: the promise is rejected with an AbortError whose `cause` is `signal.reason`. */
  signal?: AbortSignal | undefined;
  /** False lets the process end although the timer is pending. Default true. */
  ref?: boolean | undefined;
}

/**
 * Resolves with `value` after `delayMs` ms, or a little later. Delays are those of the other
 * setTimeout.
 *
 * Rejects with an AbortError (`code` ABORT_ERR) on abort; with a TypeError ERR_INVALID_ARG_TYPE for
 * bad options. Never throws.
 */
export async function setTimeout<T = void>(delayMs?: number, value?: T, options?: TimerOptions): Promise<T> {
  const { signal, ref } = checked(options);
  return new Promise((resolve, reject) => {
    const done = (): void => {
      if (signal !== undefined) removeAbortable(signal, abortable);
      resolve(value as T);
    };
    const timeout = new ScheduledTimeout(done, delayMs, [], false, ref);
    const abortable: Abortable = {
      abort: (reason) => {
        timeout.cancel();
        reject(abortError(reason));
      },
    };
    if (signal !== undefined) addAbortable(signal, abortable);
  });
}

/**
 * Yields `value` every `delayMs` ms. A value that was not asked for in time is yielded at once when
 * it is asked for. The timer runs from the first `next()` to the end of the loop.
 *
 * Throws out of the loop: an AbortError on abort; a TypeError ERR_INVALID_ARG_TYPE for bad options.
 */
export async function* setInterval<T = void>(
  delayMs?: number,
  value?: T,
  options?: TimerOptions,
): AsyncGenerator<T, void, undefined> {
  const { signal, ref } = checked(options);
  let owed = 0;
  let wake: (() => void) | undefined;
  const wakeUp = (): void => {
    wake?.();
    wake = undefined;
  };
  const count = (): void => {
    owed++;
    wakeUp();
  };
  const interval = new ScheduledTimeout(count, delayMs, [], true, ref);
  const abortable: Abortable = {
    abort: () => {
      interval.cancel();
      wakeUp();
    },
  };
  if (signal !== undefined) addAbortable(signal, abortable);
  try {
    for (;;) {
      if (owed === 0 && !signal?.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      for (; owed > 0; owed--) yield value as T;
      if (signal?.aborted) throw abortError(abortReason(signal));
    }
  } finally {
    interval.cancel();
    if (signal !== undefined) removeAbortable(signal, abortable);
  }
}

/** @throws besides, an AbortError for a signal that has aborted. */
function checked(options: TimerOptions | undefined): { signal: AbortSignal | undefined; ref: boolean } {
  const given = checkedOptions(options);
  const ref = checkedBoolean('options.ref', given.ref, true);
  const signal = checkedSignal('options.signal', given.signal);
  if (signal?.aborted) throw abortError(abortReason(signal));
  return { signal, ref };
}

/** The same error as Node's. Node does not export the class of its AbortError. */
function abortError(reason: unknown): Error {
  const error = new Error('The operation was aborted', { cause: reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}
