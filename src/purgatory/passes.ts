// Events on keys: each is a pass over the operations that watch the key.
//
// Invariants. Each operation that watched when the pass began, and still does when its turn comes,
// is tried once, in park order. A try is user code and may change anything: the lists move the pass
// along when an operation leaves. `event` makes a whole pass in the call. `begin` and `resume` make
// one in parts, for events that are served fairly (event-queue.ts).
//
// Costs. O(operations that watch the key): `npm run bench -- scan`. At a depth of MAX_DEPTH events
// or more, O(depth) a try.
import { endlessTries } from '../base/errors.ts';
import { keyText } from '../base/text.ts';
import type { Job } from '../turns/job.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import type { Parking } from './parking.ts';
import { PromisedOperation } from './promised-operation.ts';
import { isOver, type Pass, type Watchers } from './watchers.ts';

/** Deeper than events in tries need, and shallow enough for the stack. */
const MAX_DEPTH = 256;
/** More watchers than a key can have. */
const ALL = 2 ** 30;

/** How far the first part of a pass has come. */
export type Begun =
  /** It is over. */
  | 'over'
  /** It goes on. */
  | Pass
  /** It needs a batch of its own, and has not begun. */
  | 'later';

/** The keys whose passes are to begin. */
export interface PendingKeys {
  /**
   * The pass of the key whose turn it is begins.
   *
   * @param pass undefined where at most one operation is to be tried.
   */
  take(pass: Pass | undefined): void;
}

export class Passes<K> {
  readonly #parking: Parking<K, Watchers<K>>;
  /** Operations that are tried at a depth of MAX_DEPTH events or more, from the outermost in. */
  readonly #tried: DelayedOperation[] = [];
  #isUnwinding = false;

  constructor(parking: Parking<K, Watchers<K>>) {
    this.#parking = parking;
  }

  /** Tries those that watch `key` until `limit` have completed; how many did. */
  event(key: K, limit: number = Number.POSITIVE_INFINITY): number {
    const { lists } = this.#parking;
    const slot = lists.find(key);
    if (slot === undefined || this.#isUnwinding) return 0;
    const only = lists.loneWatcher(slot);
    if (only !== undefined) return this.#serve(key, only, undefined, ALL, ALL);
    const pass = lists.beginPass(slot, limit);
    try {
      return this.#serve(key, undefined, pass, ALL, ALL);
    } finally {
      lists.endPass();
    }
  }

  /**
   * Begins the pass of an event, as far as the batch of `job` allows. The key is taken out of
   * `pending` before user code runs, so a notify in a try causes one more pass.
   */
  begin(key: K, limit: number, job: Job, pending: PendingKeys): Begun {
    const { lists } = this.#parking;
    const slot = lists.find(key);
    const only = slot === undefined ? undefined : lists.loneWatcher(slot);
    if (slot === undefined || only !== undefined) {
      pending.take(undefined);
      this.#count(job, 1, only === undefined ? 0 : this.#serve(key, only, undefined, ALL, ALL));
      return 'over';
    }
    const watchers = lists.sizeOf(slot);
    if (watchers > Math.min(job.left, job.answersLeft) && watchers <= job.mostAnswers) return 'later';
    const pass = lists.beginPass(slot, limit);
    try {
      pending.take(pass);
      this.resume(pass, key, job);
      if (isOver(pass)) return 'over';
      lists.hold(pass);
      return pass;
    } finally {
      lists.endPass();
    }
  }

  /** Goes on with a pass, as far as the batch of `job` allows. */
  resume(pass: Pass, key: K, job: Job): void {
    const before = pass.tried;
    const completed = this.#serve(key, undefined, pass, job.answersLeft, job.left);
    if (isOver(pass)) this.#parking.lists.release(pass);
    this.#count(job, pass.tried - before, completed);
  }

  /** A deadline has completed one for the event of a pass: it counts as one of its limit. */
  countDeadline(pass: Pass): void {
    if (--pass.left <= 0) this.#parking.lists.release(pass);
  }

  /** A try that has returned a promise goes on in microtasks. */
  #count(job: Job, tried: number, completed: number): void {
    const parking = this.#parking;
    job.count(tried, completed);
    if (!parking.hasPromises) return;
    parking.hasPromises = false;
    job.hasAnswered = true;
  }

  /** Tries `only`, or the next `steps` of `pass` until `most` have completed; how many did. */
  #serve(
    key: K,
    only: DelayedOperation | undefined,
    pass: Pass | undefined,
    most: number,
    steps: number,
  ): number {
    const parking = this.#parking;
    const depth = parking.beginEvent();
    const outerKey = parking.eventKey;
    parking.eventKey = key;
    try {
      if (pass !== undefined) return this.#tryNext(pass, key, depth, most, steps);
      const operation = only as DelayedOperation;
      if (parking.meter.hasTryListener) parking.meter.willTry(operation, key);
      return (depth < MAX_DEPTH ? parking.tries(operation) : this.#triesDeep(operation, key)) ? 1 : 0;
    } finally {
      parking.eventKey = outerKey;
      if (depth <= 1) this.#isUnwinding = false;
      parking.endEvent(depth);
    }
  }

  #tryNext(pass: Pass, key: K, depth: number, most: number, steps: number): number {
    const parking = this.#parking;
    const { lists, meter } = parking;
    const { hasTryListener } = meter; // asked once: a pass tries many
    let completed = 0;
    let tried = 0;
    while (pass.next >= 0 && tried < steps) {
      tried++;
      const operation = lists.step(pass);
      if (hasTryListener) meter.willTry(operation, key);
      const isCompleted = depth < MAX_DEPTH ? parking.tries(operation) : this.#triesDeep(operation, key);
      if (!isCompleted) continue;
      completed++;
      if (--pass.left <= 0) lists.release(pass);
      if (completed >= most) break;
    }
    pass.tried += tried;
    return completed;
  }

  /**
   * Tries an operation at a depth of MAX_DEPTH events or more, unless it is tried there already.
   * Then the event throws into the try that caused it, and all events inside the outermost one end:
   * if only the innermost ended, each of a hundred watchers would do the same again at each depth.
   */
  #triesDeep(operation: DelayedOperation, key: K): boolean {
    const parking = this.#parking;
    if (this.#tried.includes(operation)) {
      this.#isUnwinding = true;
      parking.lists.endInnerPasses();
      throw endlessTries(
        operation instanceof PromisedOperation
          ? `The condition of a wait on "${keyText(key)}"`
          : `tryComplete of a ${operation.constructor.name} on "${keyText(key)}"`,
      );
    }
    this.#tried.push(operation);
    try {
      return parking.tries(operation);
    } finally {
      this.#tried.pop();
    }
  }
}
