// The listeners of AbortSignals: any number of waits behind one listener for each signal.
//
// Invariants. A signal with at least one wait carries one listener of ours, and none once its last
// wait has ended. So thousands of waits on one signal print no MaxListenersExceededWarning. An
// abort calls all waits in the order of their registration, inside the abort. A signal may be any
// object with `aborted` and `addEventListener`: a polyfill, or of another realm. One without
// `removeEventListener` keeps our one listener, which is used again. Each operation is O(1).
import { addAbortListener } from 'node:events';
import { throwLater } from './report-error.ts';

/** A wait that ends when its signal aborts. */
export interface Abortable {
  /** Called once, with `signal.reason`. The wait is off the signal by then. */
  abort(reason: unknown): void;
}

interface Abortables {
  readonly all: Set<Abortable>;
  readonly listener: () => void;
}

const abortablesOf = new WeakMap<AbortSignal, Abortables>();

/** Calls `abortable.abort` when `signal` aborts. `signal` has not aborted yet. */
export function addAbortable(signal: AbortSignal, abortable: Abortable): void {
  let abortables = abortablesOf.get(signal);
  if (abortables === undefined) {
    const all = new Set<Abortable>();
    const listener = (): void => {
      // An abort may remove others from the set. They are not called.
      for (const each of all) {
        all.delete(each);
        each.abort(abortReason(signal));
      }
      abortablesOf.delete(signal);
    };
    // Another listener cannot keep it from being called. What it returns is not used: it is ended by
    // Symbol.dispose, which the realm of this module may not have (node:vm of Node 20 and 22).
    addAbortListener(signal, listener);
    abortables = { all, listener };
    abortablesOf.set(signal, abortables);
    if (signal.aborted) {
      abortablesOf.delete(signal); // in its own addEventListener, too early to be heard
      abortable.abort(abortReason(signal));
      return;
    }
  }
  abortables.all.add(abortable);
}

/**
 * Removes `abortable` from the signal. No effect if it is not there. Never throws: it is called
 * where a wait has its answer.
 */
export function removeAbortable(signal: AbortSignal, abortable: Abortable): void {
  const abortables = abortablesOf.get(signal);
  if (abortables === undefined || !abortables.all.delete(abortable) || abortables.all.size > 0) return;
  if (typeof signal.removeEventListener !== 'function') return;
  abortablesOf.delete(signal);
  try {
    signal.removeEventListener('abort', abortables.listener);
  } catch (error) {
    throwLater(error);
  }
}

/** The reason of `signal`. A polyfill may give none: then the error that a bare `abort()` gives. */
export function abortReason(signal: AbortSignal): unknown {
  return signal.reason === undefined
    ? new DOMException('This operation was aborted', 'AbortError')
    : signal.reason;
}

/** @throws the reason of `signal`, if it has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}
