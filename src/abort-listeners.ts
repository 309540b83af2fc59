// Who is to hear of an AbortSignal's abort: any number of them behind one listener.
//
// Ground rules. A signal that somebody waits on carries one listener of ours, and none once the last of them has left: thousands of
// waits on one signal print no MaxListenersExceededWarning and leave nothing behind. All are told in the order they came,
// inside the abort. O(1) each.
import { addAbortListener } from 'node:events';

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
      abortablesOf.delete(signal);
      for (const each of all) each.abort(signal.reason);
    });
    abortables = { all, listener };
    abortablesOf.set(signal, abortables);
  }
  abortables.all.add(abortable);
}

/** Takes `abortable` off the signal; without effect if it is not there. */
export function removeAbortable(signal: AbortSignal, abortable: Abortable): void {
  const abortables = abortablesOf.get(signal);
  if (abortables === undefined || !abortables.all.delete(abortable) || abortables.all.size > 0) return;
  abortablesOf.delete(signal);
  abortables.listener[Symbol.dispose]();
}
