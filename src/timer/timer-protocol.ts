// How a pending task finds who holds it: the protocol between TimerTask and any Timer, ours or one
// from outside.
//
// Ground rules. A task has two fields for the protocol. Their names begin with $, so that they do
// not meet the fields of user classes:
//   task.$keeper  who answers task.cancel(). Undefined while the task is not pending. Else the
//                 timer that holds it or, for a parked operation, its purgatory, which also answers
//                 for the timer.
//   task.$slot    an integer for the bookkeeping of the timer that holds the task. NOT_HELD while
//                 no timer holds it.
//
// What a Timer does with them:
//   add(task)     calls checkAddable(task, this) before anything changes. Then, for a task that is
//                 new to it, sets task.$keeper to itself. A task that it holds already is moved.
//   remove(task)  for a task that it does not hold: returns false. For a task of another keeper (a
//                 parked operation): returns task.$keeper.remove(task), which calls back with
//                 task.$keeper cleared. Else clears both fields.
//   before run()  clears task.$slot. Clears task.$keeper if that is the timer itself. The keeper of
//                 a parked operation stays, and the operation's run() takes it out.
//   close()       clears the fields as before run(). For a task of another keeper it calls
//                 task.$keeper.remove(task), and returns the task only if that returns true.
//
// Why names and not symbols: users' classes make every access in the engine megamorphic. V8 has a
// cache for megamorphic named properties, and none for symbols. `npm run bench -- park-complete`
// has a row with eight classes of operations.
import { taskPendingElsewhere } from '../base/errors.ts';
import { invalidArgType, invalidArgValue } from '../base/node-errors.ts';
import { checkedDelay } from './checked-delay.ts';
import type { TaskKeeper, TimerTask } from './timer-task.ts';

export { NOT_HELD, type TaskKeeper } from './timer-task.ts';

/**
 * Throws unless `task` may be added to `timer`; returns its delay in ms, 0 for a negative one.
 * O(1).
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE: not a TimerTask, or a delay that is no number.
 * @throws RangeError with ERR_OUT_OF_RANGE: a delay that is not finite or above
 * Number.MAX_SAFE_INTEGER.
 * @throws TypeError with ERR_INVALID_ARG_VALUE: frozen.
 * @throws PurgatoryError with ERR_PURGATORY_ALREADY_PENDING: pending in another timer, or parked in
 * a purgatory.
 */
export function checkAddable(task: TimerTask, timer: TaskKeeper): number {
  if (task?.$slot === undefined) throw invalidArgType('task', 'an instance of TimerTask', task);
  const keptBy = task.$keeper;
  if (keptBy !== undefined && keptBy !== timer) throw taskPendingElsewhere();
  try {
    task.$keeper = keptBy;
  } catch {
    throw invalidArgValue('task', 'must not be frozen', task);
  }
  return checkedDelay(task.delayMs);
}
