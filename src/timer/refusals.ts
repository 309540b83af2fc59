// What every timer of the library says when it must refuse a task, and what it does with what a task throws.
import { PurgatoryError, throwLater } from '../errors.ts';
import type { TimerTask } from './timer-task.ts';

export function timerClosed(): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', 'The timer is closed');
}

export function timerFull(maxPending: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_FULL', `The timer is full: maxPending is ${maxPending}`);
}

/** Hands `error` to `onError`; without one, and for what `onError` itself throws, it becomes an uncaught exception later. */
export function reportError(
  error: unknown,
  task: TimerTask,
  onError: ((error: unknown, task: TimerTask) => void) | undefined,
): void {
  if (onError === undefined) {
    throwLater(error);
    return;
  }
  try {
    onError(error, task);
  } catch (thrown) {
    throwLater(thrown);
  }
}
