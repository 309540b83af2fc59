// Why a purgatory refuses a valid call: the errors of its states, with the words that say what to do.
import { PurgatoryError } from '../errors.ts';
import type { DelayedOperation } from './delayed-operation.ts';

export function closed(name: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CLOSED', `Purgatory "${name}" is closed`);
}

export function cancelledIn(name: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_CANCELLED', `The wait was cancelled in purgatory "${name}"`);
}

export function full(name: string, maxParked: number): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_FULL', `Purgatory "${name}" is full: maxParked is ${maxParked}`);
}

/** For an operation that is parked, or pending in a timer. */
export function pending(op: DelayedOperation): PurgatoryError {
  if (op.$place >= 0) {
    return new PurgatoryError(
      'ERR_PURGATORY_ALREADY_WATCHED',
      'The operation is parked already: park it once',
    );
  }
  return new PurgatoryError(
    'ERR_PURGATORY_ALREADY_PENDING',
    'The operation is pending in a timer as a plain task: cancel it there before parking it',
  );
}
