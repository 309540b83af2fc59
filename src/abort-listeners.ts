// Who is to hear of an AbortSignal's abort: any number of them behind one listener.
//
// Ground rules. A signal that somebody waits on carries one listener of ours, and none once the
// last of them has left: thousands of waits on one signal print no MaxListenersExceededWarning and
// leave nothing behind. All are told in the order they came, inside the abort. O(1) each. A signal
// may be any object with `aborted` and `addEventListener`, so that polyfills and signals of other
// realms serve: one without `removeEventListener` keeps our one listener, which is used again.
import { addAbortListener } from 'node:events';
import { invalidArgType } from './errors.ts';
import { throwLater } from './report-error.ts';

/** Somebody who gives up when a signal aborts. */
export interface Abortable {
  /** Told once, with `signal.reason`; it is off the signal by then. */
  abort(reason: unknown): void;
}

interface Abortables {
  readonly all: Set<Abortable>;
  readonly listener: Disposable;
}

const abortablesOf = new WeakMap<AbortSignal, Abortables>();

/** Lets `abortable` hear of the abort of `signal`, which has not aborted yet. */
export function addAbortable(signal: AbortSignal, abortable: Abortable): void {
  let abortables = abortablesOf.get(signal);
  if (abortables === undefined) {
    const all = new Set<Abortable>();
    const listener = addAbortListener(signal, () => {
      // One that the abort of another takes off meanwhile is told no more.
      for (const each of all) {
        all.delete(each);
        each.abort(abortReason(signal));
      }
      abortablesOf.delete(signal);
    });
    abortables = { all, listener };
    abortablesOf.set(signal, abortables);
  }
  abortables.all.add(abortable);
}

/**
 * Takes `abortable` off the signal; without effect if it is not there. Never throws: it is called
 * where something has its answer.
 */
export function removeAbortable(signal: AbortSignal, abortable: Abortable): void {
  const abortables = abortablesOf.get(signal);
  if (abortables === undefined || !abortables.all.delete(abortable) || abortables.all.size > 0) return;
  if (typeof signal.removeEventListener !== 'function') return;
  abortablesOf.delete(signal);
  try {
    abortables.listener[Symbol.dispose]();
  } catch (error) {
    throwLater(error);
  }
}

/**
 * `signal`, if it is one or undefined.
 * @throws TypeError with ERR_INVALID_ARG_TYPE for anything else.
 */
export function checkedSignal(name: string, signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  if (typeof signal?.aborted !== 'boolean' || typeof signal.addEventListener !== 'function') {
    throw invalidArgType(name, 'an instance of AbortSignal', signal);
  }
  return signal;
}

/**
 * Why `signal` has aborted: its reason, or, where a polyfill gives none, what a bare `abort()` has.
 */
export function abortReason(signal: AbortSignal): unknown {
  return signal.reason === undefined
    ? new DOMException('This operation was aborted', 'AbortError')
    : signal.reason;
}

/** @throws the reason of `signal`, if it has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}
