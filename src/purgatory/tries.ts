// A try: one call of the user's `tryComplete`, held to its contract.
//
//   the try                      what it throws
//   before parking: checkedTry   goes to the caller, and nothing is parked
//   once parked: reportedTry     goes to `onError`, and the operation stays parked
//
// (The condition of a wait throws in condition-wait.ts, which rejects the wait in both cases.)

import { notCompleted } from '../base/errors.ts';
import { invalidReturnValue } from '../base/node-errors.ts';
import { className } from '../base/text.ts';
import { COMPLETED, type DelayedOperation, type Keeper } from './delayed-operation.ts';

/**
 * One try, held to its contract: true iff it completed the operation.
 *
 * @param key of the event that causes it, if one does.
 * @throws what `tryComplete` throws; TypeError ERR_INVALID_RETURN_VALUE for a result that is no
 *   boolean; PurgatoryError ERR_PURGATORY_NOT_COMPLETED for true from an operation that is not
 *   completed.
 */
export function checkedTry(operation: DelayedOperation, key?: unknown): boolean {
  const result: unknown = operation.tryComplete(key);
  if (result === false) return false;
  if (result === true && operation.$place === COMPLETED) return true;
  throw badResult(operation, result);
}

function badResult(operation: DelayedOperation, result: unknown): Error {
  const type = className(operation);
  if (result === true) return notCompleted(type);
  // A promise that `tryComplete` returned by mistake may reject. That must not end the process as
  // well.
  Promise.resolve(result).catch(() => {});
  return invalidReturnValue('a boolean', `${type}.tryComplete`, result);
}

/**
 * A try of a parked operation, for the event on `key`. True iff that completed it, also if
 * `tryComplete` called `forceComplete` and then returned false or threw.
 */
export function reportedTry(operation: DelayedOperation, keeper: Keeper, key: unknown): boolean {
  try {
    return checkedTry(operation, key) || operation.$place === COMPLETED;
  } catch (error) {
    const isCompleted = operation.$place === COMPLETED;
    keeper.report(error, operation, key);
    return isCompleted;
  }
}
