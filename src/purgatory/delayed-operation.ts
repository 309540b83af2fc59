// An operation that cannot be answered yet, and the rule that it is answered once.
//
// It is new, then parked, then over for ever. Completing goes through `forceComplete` alone. That
// marks the operation, takes it off the timer and every watch list, and only then runs user code.
// So if an event, a force, a deadline, an abort and a cancel meet, one of them wins and the others
// find nothing. (Kafka's DelayedOperation uses a compare-and-set for this. A single thread needs
// none.) What begins with $ is the engine's: users' classes have names of their own.

import { invalidArgType, invalidArgValue, methodNotImplemented } from '../base/node-errors.ts';
import type { Rejection } from '../base/rejection.ts';
import { onRejection } from '../base/report-error.ts';
import { className } from '../base/text.ts';
import { NONE } from '../slab/slab.ts';
import { type TaskKeeper, TimerTask } from '../timer/timer-task.ts';
import type { Settler } from '../turns/settler.ts';
import { promise, takePromised } from './callback-results.ts';

/** The `$place` of one that was answered, by an event, by force or by its deadline. For ever. */
export const COMPLETED = -2;
/** The `$place` of a wait whose promise rejects: it must never be answered. For ever. */
export const REJECTED = -3;

/** How a parked operation leaves. */
export type End = 'completed' | 'expired' | 'cancelled' | 'rejected';

/**
 * What a parked operation asks of its purgatory, a Parking. (An interface, because a Parking
 * imports operations.)
 */
export interface Keeper extends TaskKeeper {
  /** Its class and its name, for people. */
  readonly title: string;
  /** Where promises settle, fairly. */
  readonly settler: Settler;
  /** The key of the event that causes the innermost try under way; undefined without one. */
  readonly eventKey: unknown;
  /**
   * Takes a parked operation off the timer and every watch list, and sets its `$place`. Runs none of
   * its user code. @param error what its own try has thrown, of one that is rejected.
   */
  leave(operation: DelayedOperation, how: End, error?: unknown): void;
  /** Completes a parked operation whose deadline has come, handling what user code throws. */
  expire(operation: DelayedOperation): void;
  /** As `expire`, where its deadline has waited for a try that has settled without an answer. */
  expireNow(operation: DelayedOperation): void;
  /** For what user code of an operation throws. @param key that of the event, if one caused it. */
  report(error: unknown, operation: DelayedOperation, key?: unknown): void;
  /** A try of a parked operation has returned a promise; and that promise has settled. */
  readonly meter: {
    didOpenTry(operation: DelayedOperation): void;
    didCloseTry(operation: DelayedOperation): void;
  };
  /**
   * Tries a parked operation for an event on `key`, or for none (NO_EVENT). What the try throws is
   * reported.
   */
  tryParked(operation: DelayedOperation, key: unknown): boolean;
}

/**
 * An operation to be parked in a {@link Purgatory}: extend it with its condition and its answer.
 * `delayMs` is the deadline, counted from parking; Infinity means none.
 */
export abstract class DelayedOperation extends TimerTask {
  /**
   * 0 or more while it is parked: its place in the lists of its purgatory. NONE while it is parked
   * nowhere: it is new, or was taken out unanswered, or is a task in a timer. COMPLETED or
   * REJECTED when it is over.
   */
  $place: number;
  /** The option `label` of a wait. Others have none. @internal */
  declare readonly $label: string | undefined;

  /** @throws as {@link TimerTask}; Infinity is allowed. */
  constructor(delayMs: number) {
    super(delayMs);
    this.$place = NONE;
  }

  /**
   * Tries to complete: if the condition holds, returns `this.forceComplete()`, else false. A
   * Purgatory calls it before parking, and for each event on one of the keys. If the try before
   * parking has caused an event itself, one more follows right after parking. A
   * ThresholdPurgatory calls it once, when all thresholds are reached.
   *
   * @param key that of the event which causes the try. Undefined where none does: at parking, for
   * the sweep of a bus, and in a call of your own.
   */
  abstract tryComplete(key?: unknown): boolean;

  /**
   * The answer. It runs at most once, when the operation is off the timer and every watch list;
   * never for one that was cancelled. If it returns a promise, what that rejects with goes to
   * `onError`, as what `onExpiration` throws.
   */
  abstract onComplete(): void;

  /** Runs after `onComplete` when it was the deadline that completed the operation. */
  onExpiration(): void {}

  /**
   * Completes the operation, whether its condition holds or not. True iff this call completed it.
   * If `onComplete` throws, so does the call, and the operation is completed. O(watch keys).
   */
  forceComplete(): boolean {
    const place = this.$place;
    if (place === COMPLETED) return false;
    const keptBy = this.$keeper;
    if (place !== NONE) {
      (keptBy as Keeper).leave(this, 'completed');
    } else {
      keptBy?.remove(this);
      this.$place = COMPLETED;
    }
    const result: unknown = this.onComplete();
    if (result !== undefined) this.#promise(result, place === NONE ? undefined : (keptBy as Keeper));
    return true;
  }

  #promise(result: unknown, keeper: Keeper | undefined): void {
    if (keeper === undefined) promise(this, result);
    else onRejection(result, (error) => keeper.report(error, this));
  }

  /**
   * Its purgatory takes it out unanswered. True: its owner gets it back. A wait is rejected instead.
   *
   * @param why makes the rejection of a wait, while it is parked.
   * @internal
   */
  $takeOut(_why: (wait: DelayedOperation) => Rejection): boolean {
    (this.$keeper as Keeper).leave(this, 'cancelled');
    return true;
  }

  /**
   * Its deadline has taken it out. Returns what its user code threw: at most one of each method.
   *
   * @internal
   */
  $expire(_settler?: Settler): unknown[] {
    const errors: unknown[] = [];
    try {
      if (!this.forceComplete()) return errors;
    } catch (error) {
      errors.push(error);
    }
    try {
      const result: unknown = this.onExpiration();
      if (result !== undefined) promise(this, result);
    } catch (error) {
      errors.push(error);
    }
    return errors;
  }

  /** Whether its deadline, which has come, is to wait for a try that an event has begun. @internal */
  $holdsDeadline(): boolean {
    return false;
  }

  /** What people call it: its class, or the method that made a wait. @internal */
  get $type(): string {
    return className(this);
  }

  /** True from the moment it is completed, inside `onComplete` included. */
  get isCompleted(): boolean {
    return this.$place === COMPLETED;
  }

  static {
    // TypeScript requires a subclass to implement them. A subclass in JavaScript may lack them.
    for (const name of ['tryComplete', 'onComplete'] as const) {
      DelayedOperation.prototype[name] = function (): never {
        throw methodNotImplemented(className(this), name);
      };
    }
  }

  /**
   * The deadline has come: the timer calls this. Completes the operation, then runs `onExpiration`.
   */
  override run(): unknown {
    if (this.$place >= 0) {
      (this.$keeper as Keeper).expire(this);
      return undefined;
    }
    const errors = this.$expire();
    const promised = takePromised(this);
    if (promised !== undefined) return throwAfter(promised, errors);
    if (errors.length > 0) throw oneError(errors);
    return undefined;
  }
}

/** Rejects with what was thrown and what `promised` rejects with, so that none of it is lost. */
async function throwAfter(promised: readonly unknown[], thrown: readonly unknown[]): Promise<void> {
  const settled = await Promise.allSettled(promised);
  const rejected = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const errors = [...thrown, ...rejected];
  if (errors.length > 0) throw oneError(errors);
}

function oneError(errors: readonly unknown[]): unknown {
  if (errors.length === 1) return errors[0];
  return new AggregateError(errors, 'onComplete and onExpiration both failed');
}

const { run } = DelayedOperation.prototype;

/**
 * @throws TypeError ERR_INVALID_ARG_TYPE for what is no DelayedOperation; ERR_INVALID_ARG_VALUE for one
 *   whose class has a `run` of its own, which its deadline would call.
 */
export function checkOperation(op: DelayedOperation): void {
  if (op?.$place === undefined) throw invalidArgType('operation', 'an instance of DelayedOperation', op);
  if (op.run !== run && !isRunOfCopy(op)) {
    throw invalidArgValue('op', 'must have no method or field `run`: the deadline needs that name', op);
  }
}

/** Whether its `run` is that of the DelayedOperation of another copy of the package. */
function isRunOfCopy(op: DelayedOperation): boolean {
  let owner: object | null = op;
  while (owner !== null && !Object.hasOwn(owner, 'run')) owner = Object.getPrototypeOf(owner);
  return owner !== null && Object.hasOwn(owner, '$expire');
}
