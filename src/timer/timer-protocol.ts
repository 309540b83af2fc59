// How a pending task finds who holds it: the protocol between TimerTask and any Timer, ours or one from outside.
//
// Ground rules. A task carries two fields for the protocol; their names begin with $, to keep clear of the fields of user classes:
//   task.$keeper  who answers task.cancel(): undefined while the task is not pending, the timer that holds it, or, for a
//                 parked operation, its purgatory, which answers for the timer too;
//   task.$slot    an integer of the timer that holds the task, for its own bookkeeping; NOT_HELD while in no timer.
//
// What a Timer does with them:
//   add(task)     calls checkAddable(task, this) before anything changes; then, for a task new to it, sets task.$keeper to
//                 itself. A task it keeps already is moved.
//   remove(task)  for a task it does not hold: false. For one that another keeper answers for (a parked operation):
//                 returns task.$keeper.remove(task), which calls back with task.$keeper cleared. Else clears both fields.
//   before run()  clears task.$slot, and task.$keeper where that is the timer itself; a parked operation's keeper stays,
//                 and its run() takes it out.
//   close()       clears as before run(); for a task of another keeper it calls task.$keeper.remove(task), and returns
//                 the task only if that says true.
//
// Why names and not symbols: users' classes make every access in the engine megamorphic, and V8 has a cache for megamorphic named
// properties, but looks symbols up the long way: `npm run bench -- park-complete` has a row with eight classes of operations.
import { invalidArgType, PurgatoryError } from '../errors.ts';
import { checkedDelay } from './checked-delay.ts';
import type { TimerTask } from './timer-task.ts';

/** Who answers for a pending task. */
export interface TaskKeeper {
  /** Takes the task out, unanswered. True iff it was pending here. */
  remove(task: TimerTask): boolean;
}

/** The value of `$slot` in a task that no timer holds. */
export const NOT_HELD = -1;

/**
 * Throws unless `task` may be added to `timer`; returns its delay in ms, 0 for a negative one. O(1).
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE: not a TimerTask, or a delay that is no number.
 * @throws RangeError with ERR_OUT_OF_RANGE: a delay that is not finite or above Number.MAX_SAFE_INTEGER.
 * @throws PurgatoryError with ERR_PURGATORY_ALREADY_PENDING: pending in another timer, or parked in a purgatory.
 */
export function checkAddable(task: TimerTask, timer: TaskKeeper): number {
  if (task?.$slot === undefined) throw invalidArgType('task', 'an instance of TimerTask', task);
  const keptBy = task.$keeper;
  if (keptBy !== undefined && keptBy !== timer) throw alreadyPending();
  return checkedDelay(task.delayMs);
}

function alreadyPending(): PurgatoryError {
  return new PurgatoryError(
    'ERR_PURGATORY_ALREADY_PENDING',
    'The task is pending in another timer or parked in a purgatory: cancel it there first',
  );
}
