// What a timer runs: user code with a delay.
//
// A task knows who answers for it ($keeper) and where its timer has it ($slot). Both are written by
// those alone: a timer sets them in `add`, and clears them when the task runs or is removed. Of a
// parked operation the keeper is its purgatory: that stays while the task runs, and the timer asks
// it when it is to remove the task. Everything here is O(1). A task takes 56 bytes at most: with a
// million pending, the tasks are most of what the collector has to visit.
//
// Why the fields have names and are no symbols: users' classes make every access in the engine
// megamorphic. V8 has a cache for megamorphic named properties, and none for symbols.

import { checkedTimeout, finiteDelay } from '../base/checks.ts';
import { PurgatoryError } from '../base/errors.ts';
import { invalidArgType, methodNotImplemented } from '../base/node-errors.ts';
import { className } from '../base/text.ts';
import { NONE } from '../slab/slab.ts';

/** The `$slot` of an operation that is parked without a deadline. */
export const ENDLESS = -2;

/**
 * Who answers for a pending task: the timer that holds it or, for a parked operation, its
 * purgatory.
 */
export interface TaskKeeper {
  /** Takes the task out, unanswered. True iff it was pending here. */
  remove(task: TimerTask): boolean;
}

/**
 * A piece of work to be run once, `delayMs` after it is added to a {@link Timer}. Extend it, or use
 * `schedule`.
 */
export abstract class TimerTask {
  /**
   * The delay in ms, counted from each `add`. Negative counts as 0. Infinity is for parked
   * operations only.
   */
  readonly delayMs: number;
  /** Who answers for the task while it is pending. Undefined while it is not. */
  $keeper: TaskKeeper | undefined;
  /**
   * Where the timer that holds the task has it; NONE in a task that no timer holds. ENDLESS while it
   * is parked without a deadline.
   */
  $slot: number;

  /**
   * @param delayMs in ms, up to Number.MAX_SAFE_INTEGER (285,000 years).
   * @throws TypeError with ERR_INVALID_ARG_TYPE when it is no number.
   * @throws RangeError with ERR_OUT_OF_RANGE when it is NaN, -Infinity, or finite and above
   * Number.MAX_SAFE_INTEGER.
   */
  constructor(delayMs: number) {
    this.delayMs = checkedTimeout('delayMs', delayMs);
    this.$keeper = undefined;
    this.$slot = NONE;
  }

  /**
   * The user's work. What it throws goes to the timer's `onError`, and so does what a promise that
   * it returns rejects with. The task is not pending while it runs.
   */
  abstract run(): void;

  static {
    // TypeScript requires a subclass to implement it. A subclass in JavaScript may lack it.
    TimerTask.prototype.run = function (): never {
      throw methodNotImplemented(className(this), 'run');
    };
  }

  /**
   * Takes the task out of the timer, or the purgatory, that holds it. True iff it was pending.
   * O(1).
   */
  cancel(): boolean {
    const keptBy = this.$keeper;
    return keptBy === undefined ? false : keptBy.remove(this);
  }

  /** True from `add` (or parking) until it runs, completes or is cancelled. */
  get isPending(): boolean {
    return this.$keeper !== undefined;
  }
}

/** The task that `schedule` makes. */
export class CallbackTask extends TimerTask {
  readonly #callback: () => void;

  constructor(callback: () => void, delayMs: number) {
    super(delayMs);
    this.#callback = callback;
  }

  override run(): unknown {
    const callback = this.#callback;
    return callback();
  }
}

/**
 * Throws unless `task` may be added to `timer`. Returns its delay in ms, 0 for a negative one. O(1).
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE: not a TimerTask, or a delay that is no number.
 * @throws RangeError with ERR_OUT_OF_RANGE: a delay that is not finite or above
 * Number.MAX_SAFE_INTEGER.
 * @throws PurgatoryError with ERR_PURGATORY_ALREADY_PENDING: pending in another timer, or parked in
 * a purgatory.
 */
export function checkAddable(task: TimerTask, timer: TaskKeeper): number {
  if (task?.$slot === undefined) throw invalidArgType('task', 'an instance of TimerTask', task);
  const keptBy = task.$keeper;
  if (keptBy !== undefined && keptBy !== timer) throw pendingElsewhere();
  task.$keeper = keptBy; // of a frozen task nothing has changed when the language refuses this
  const { delayMs } = task;
  // The rare case is apart, so that V8 inlines what most starts need.
  return delayMs > 0 && delayMs <= Number.MAX_SAFE_INTEGER ? delayMs : finiteDelay(delayMs);
}

function pendingElsewhere(): PurgatoryError {
  const text = 'The task is pending in another timer or parked in a purgatory: cancel it there first';
  return new PurgatoryError('ERR_PURGATORY_ALREADY_PENDING', text);
}
