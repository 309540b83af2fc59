// What a timer runs: user code with a delay. Ground rules: the two $ fields belong to the timer protocol
// (timer-protocol.ts) and to nobody else; everything here is O(1). 56 bytes a task at most, as it is all there is to pay
// for the collector when a million are pending.
import { invalidArgType, outOfRange } from '../errors.ts';
import { NOT_HELD, type TaskKeeper } from './timer-protocol.ts';

/** A piece of work to be run once, `delayMs` after it is added to a {@link Timer}. Extend it, or use `schedule`. */
export abstract class TimerTask {
  /** The delay in ms, counted from each `add`. Negative counts as 0; Infinity is for parked operations only. */
  readonly delayMs: number;
  /** Who answers for the task while it is pending: see timer-protocol.ts. */
  $keeper: TaskKeeper | undefined;
  /** An integer of the timer that holds it: see timer-protocol.ts. */
  $slot: number;

  /**
   * @param delayMs in ms, up to Number.MAX_SAFE_INTEGER (285,000 years).
   * @throws TypeError with ERR_INVALID_ARG_TYPE when it is no number.
   * @throws RangeError with ERR_OUT_OF_RANGE when it is NaN, -Infinity, or finite and above Number.MAX_SAFE_INTEGER.
   */
  constructor(delayMs: number) {
    if (!(delayMs <= Number.MAX_SAFE_INTEGER && delayMs >= -Number.MAX_VALUE)) checkUncommon(delayMs);
    if (typeof delayMs !== 'number') throw invalidArgType('delayMs', 'of type number', delayMs);
    this.delayMs = delayMs;
    this.$keeper = undefined;
    this.$slot = NOT_HELD;
  }

  /** What is to be done. What it throws goes to the timer's `onError`. The task is not pending while it runs. */
  abstract run(): void;

  /** Takes the task out of the timer, or the purgatory, that holds it. True iff it was pending. O(1). */
  cancel(): boolean {
    const keptBy = this.$keeper;
    return keptBy === undefined ? false : keptBy.remove(this);
  }

  /** True from `add` (or parking) until it runs, completes or is cancelled. */
  get isPending(): boolean {
    return this.$keeper !== undefined;
  }
}

function checkUncommon(delayMs: unknown): void {
  if (delayMs === Number.POSITIVE_INFINITY) return;
  if (typeof delayMs !== 'number') throw invalidArgType('delayMs', 'of type number', delayMs);
  throw outOfRange(
    'delayMs',
    'a number <= Number.MAX_SAFE_INTEGER, or Infinity for a parked operation',
    delayMs,
  );
}
