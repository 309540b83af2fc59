// A pass: one event's walk over the operations that watch its key, the oldest first. And a try: one
// call of the user's `tryComplete`, held to its contract.
//
// Invariants. Each operation that watched when the event began, and still does when the pass comes
// to it, is tried once, in park order. A try is user code and may change anything: the lists move
// the pass along when an operation is removed. A lone watcher is tried without a pass.
//
// What a try throws before parking (checkedTry) goes to the caller, and nothing is parked. Of a
// parked operation (reportedTry) it goes to `onError`, and the operation stays parked. (The condition
// of a wait throws in condition-wait.ts.) Costs. O(operations that watch the key).
import { PurgatoryError } from '../base/errors.ts';
import { invalidReturnValue } from '../base/node-errors.ts';
import { className } from '../base/text.ts';
import { NONE, type Slot } from '../slab/slab.ts';
import { COMPLETED, type DelayedOperation, type Keeper } from './delayed-operation.ts';
import { ALL, addLimits } from './event-limit.ts';

/** In place of a key, where no event causes the tries: no key of a user is the same. */
export const NO_EVENT: unique symbol = Symbol('no event');

/**
 * One record from the beginning of an event to its end, wherever it runs: in a call, or a part a
 * batch over many turns, or as one more behind another. Its operations are those from `nextSlot` to
 * `lastSlot` in the ring of the key. It is over when nobody is left, or when it was stopped. All its
 * fields hold small integers or references: V8 boxes any other number.
 */
export class Pass<K = unknown> {
  /**
   * One is alive at all times. Else each collection between two events takes the shape of a Pass
   * away, and the code of the walk with it: the next pass over 100,000 watchers takes 12 ms longer
   * (`npm run bench -- vain`).
   */
  static readonly alive: Pass = new Pass<unknown>(undefined);

  readonly key: K;
  /** The number of its event among those of `notify`; 0 for one in a call. */
  readonly number: number;
  /** The cell of the key. Valid until the pass is over. */
  keySlot: Slot = NONE;
  /** The slots of the watch that is next, and of the last one. NONE: it has not begun, or is over. */
  nextSlot: Slot = NONE;
  lastSlot: Slot = NONE;
  /** How many watched the key when it began, and how many of them were tried. */
  watchers = 0;
  tried = 0;
  /** How many may still complete. A deadline that meets the event counts too. */
  limitLeft: number;
  /** When it began, in ms, if it does not fit in a batch. */
  sinceMs: number | undefined = undefined;
  /** The pass of the events that have come meanwhile. It has yet to begin. */
  after: Pass<K> | undefined = undefined;

  constructor(key: K, limit: number = ALL, number = 0) {
    this.key = key;
    this.number = number;
    this.limitLeft = limit;
  }

  get isByNotify(): boolean {
    return this.number !== 0;
  }

  get hasBegun(): boolean {
    return this.watchers > 0;
  }

  get isOver(): boolean {
    return this.nextSlot < 0;
  }

  /** As many more may complete. */
  allow(limit: number): void {
    this.limitLeft = addLimits(this.limitLeft, limit);
  }

  /** One has completed for its event: it stops when no other may. */
  countCompletion(): void {
    if (--this.limitLeft <= 0) this.stop();
  }

  stop(): void {
    this.nextSlot = NONE;
  }
}

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
  if (result === true) {
    const todo = 'call forceComplete(), and return what that returns';
    const text = `tryComplete of a ${type} returned true, but the operation is not completed: ${todo}`;
    return new PurgatoryError('ERR_PURGATORY_NOT_COMPLETED', text);
  }
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
