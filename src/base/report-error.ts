// What happens to an error that user code throws out of reach of its callers.
//
// Invariants. It goes to the user's `onError`. Without one it becomes an uncaught exception in a
// later turn, as an error in a setTimeout callback does.
import { hostSetImmediate } from './host.ts';

/**
 * Passes `error` to `onError`. Without `onError`, and for an error that `onError` itself throws,
 * calls `throwLater`.
 */
export function reportError<S>(
  error: unknown,
  subject: S,
  onError: ((error: unknown, subject: S) => void) | undefined,
): void {
  if (onError === undefined) {
    throwLater(error);
    return;
  }
  runReported(() => onError(error, subject), throwLater);
}

/** Calls `work`, user code. `report` gets what it throws, or what a promise of it rejects with. */
export function runReported(work: () => unknown, report: (error: unknown) => void): void {
  try {
    const result = work();
    if (result !== undefined) onRejection(result, report);
  } catch (error) {
    report(error);
  }
}

/** Calls `report` with what `result` rejects with, if it is a promise. */
export function onRejection(result: unknown, report: (error: unknown) => void): void {
  if (typeof (result as PromiseLike<unknown> | null | undefined)?.then !== 'function') return;
  Promise.resolve(result).then(undefined, report);
}

/**
 * Throws `error` in a later turn, where it becomes an `uncaughtException`. It uses the host's own
 * setImmediate even under fake timers: an error must not wait for a fake clock.
 */
export function throwLater(error: unknown): void {
  hostSetImmediate(() => {
    throw error;
  });
}
