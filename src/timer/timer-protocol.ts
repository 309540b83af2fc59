// How a pending task finds who holds it: the protocol between TimerTask and any Timer, ours or one
// from outside. A task has two fields for it: $keeper and $slot (timer-task.ts).
//
// Why names and not symbols: users' classes make every access in the engine megamorphic. V8 has a
// cache for megamorphic named properties, and none for symbols. `npm run bench -- park-complete`
// has a row with eight classes of operations.
import { requiredNumber } from '../base/checks.ts';
import { taskPendingElsewhere } from '../base/errors.ts';
import { invalidArgType, invalidArgValue } from '../base/node-errors.ts';
import type { TaskKeeper, TimerTask } from './timer-task.ts';

export { NOT_HELD, type TaskKeeper } from './timer-task.ts';

const FINITE_MS = { min: -Number.MAX_VALUE, max: Number.MAX_SAFE_INTEGER } as const;

/**
 * Throws unless `task` may be added to `timer`; returns its delay in ms, 0 for a negative one.
 * O(1). A Timer keeps to the protocol if it does this with the two fields of a task:
 *
 * - `add(task)` calls `checkAddable(task, this)` before anything changes. Then, for a task that is
 *   new to it, it sets `task.$keeper` to itself. A task that it holds already is moved. `$slot` is
 *   an integer for its bookkeeping, and NOT_HELD while no timer holds the task.
 * - `remove(task)` returns false for a task that it does not hold. For a task of another keeper (a
 *   parked operation: the keeper is its purgatory) it returns `task.$keeper.remove(task)`, which
 *   calls back with `task.$keeper` cleared. Else it clears both fields.
 * - Before `run()` it clears `task.$slot`, and `task.$keeper` if that is the timer itself. The
 *   keeper of a parked operation stays, and the operation's `run()` takes it out.
 * - `close()` clears the fields as before `run()`. For a task of another keeper it calls
 *   `task.$keeper.remove(task)`, and returns the task only if that returns true.
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
  const { delayMs } = task;
  return delayMs > 0 && delayMs <= Number.MAX_SAFE_INTEGER ? delayMs : uncommonDelay(delayMs);
}

/** Apart, so that V8 inlines what most starts need. */
function uncommonDelay(delayMs: number): number {
  return delayMs <= 0 && delayMs >= -Number.MAX_VALUE ? 0 : requiredNumber('delayMs', delayMs, FINITE_MS);
}
