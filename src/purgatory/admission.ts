// Who may be parked: what is refused, before anything changes.
//
// Ground rules. It belongs to one Parking, which asks it before each step that would change
// something, and again after user code has run. It counts each refusal.
//
// Costs. O(1).
import { debugOnce, isDebugging } from '../base/debug.ts';
import { operationPending, PurgatoryError, purgatoryClosed, purgatoryFull } from '../base/errors.ts';
import { invalidArgValue } from '../base/node-errors.ts';
import { DrivenTimer } from '../timer/driven-timer.ts';
import type { Timer } from '../timer/timer.ts';
import { COMPLETED, type DelayedOperation, NOT_PARKED } from './delayed-operation.ts';
import type { PurgatoryMeter } from './telemetry/purgatory-meter.ts';

const COMPLETED_ALREADY =
  'purgatory "%s": a %s that is completed already is not parked. Each wait takes a new one';

export class Admission {
  readonly #name: string;
  readonly maxParked: number;
  readonly #lists: { readonly size: number };
  readonly #meter: PurgatoryMeter;
  #isClosed = false;

  constructor(name: string, maxParked: number, lists: { readonly size: number }, meter: PurgatoryMeter) {
    this.#name = name;
    this.maxParked = maxParked;
    this.#lists = lists;
    this.#meter = meter;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /**
   * False for an operation that is completed.
   *
   * @throws PurgatoryError ERR_PURGATORY_CLOSED; _ALREADY_WATCHED: it is parked; _ALREADY_PENDING:
   *   it is in a timer.
   */
  admits(operation: DelayedOperation): boolean {
    if (this.#isClosed) throw this.refused(purgatoryClosed(this.#name));
    if (operation.$place === COMPLETED) return this.#refuseCompleted(operation);
    if (operation.$keeper !== undefined) throw this.refused(operationPending(operation.$place >= 0));
    return true;
  }

  /** Returns false. On a way of its own: `admits` is small enough to be inlined. */
  #refuseCompleted(operation: DelayedOperation): false {
    if (isDebugging) {
      debugOnce(this, 'completed', COMPLETED_ALREADY, this.#name, operation.constructor.name);
    }
    return false;
  }

  /** @throws PurgatoryError ERR_PURGATORY_FULL if nothing more can be parked now. */
  checkRoom(): void {
    if (this.#lists.size >= this.maxParked) throw this.refused(purgatoryFull(this.#name, this.maxParked));
  }

  /**
   * As checkRoom, also in `timer` for what has a deadline. A timer from outside cannot tell.
   *
   * @throws PurgatoryError of either.
   */
  checkRoomOf(timer: Timer, delayMs: number): void {
    this.checkRoom();
    if (delayMs === Number.POSITIVE_INFINITY || !(timer instanceof DrivenTimer)) return;
    try {
      timer.checkRoom();
    } catch (error) {
      throw this.refused(error);
    }
  }

  /** `call` does nothing any more. Told once to developers who ask for it (NODE_DEBUG=purgatory). */
  ignore(call: string): void {
    debugOnce(this, 'ignore', 'purgatory "%s" is closed: %s does nothing', this.#name, call);
  }

  /** Counts a refusal. Returns its error. */
  refused<E>(error: E): E {
    if (error instanceof PurgatoryError) this.#meter.didRefuse(error.code);
    return error;
  }
}

/**
 * Checks that `$place` of an operation that is parked nowhere can be written.
 *
 * @throws TypeError ERR_INVALID_ARG_VALUE
 */
export function checkWritable(operation: DelayedOperation): void {
  try {
    operation.$place = NOT_PARKED;
  } catch {
    throw invalidArgValue('op', 'must not be frozen', operation);
  }
}
