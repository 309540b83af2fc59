// What every timer of the library says when it must refuse a task, and what it does with what user code throws.
import { PurgatoryError, throwLater } from '../errors.ts';

export function timerClosed(): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', 'The timer is closed');
}

export function timerFull(maxPending: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_FULL', `The timer is full: maxPending is ${maxPending}`);
}

/** Hands `error` to `onError`; without one, and for what `onError` itself throws, it becomes an uncaught exception later. */
export function reportError<S>(
  error: unknown,
  subject: S,
  onError: ((error: unknown, subject: S) => void) | undefined,
): void {
  if (onError === undefined) {
    throwLater(error);
    return;
  }
  try {
    onError(error, subject);
  } catch (thrown) {
    throwLater(thrown);
  }
}
