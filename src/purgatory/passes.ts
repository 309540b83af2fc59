// Events on keys: each is a pass over the operations that watch the key.
//
// Ground rules. It belongs to one purgatory. Each operation that watched when the pass began, and
// still does when its turn comes, is tried once, in park order. A try is user code and may change
// anything: the lists move the pass along when somebody leaves (watch-lists.ts). What a try throws
// is reported, and the pass goes on. `event` makes a whole pass in the call. `begin` and `resume`
// make one in parts, for events that are served fairly (event-queue.ts).
//
// A try may cause further events, even on its own key: they may come to an end by themselves. But
// at a depth of MAX_DEPTH nested events or more, an operation whose try is under way is not tried
// again. The event throws an error into the try that caused it. Then everything unwinds to the
// outermost event: its inner passes end, and events inside it do nothing. (If only the innermost
// ended, each of a hundred watchers would do the same again at each depth.)
//
// Costs. O(operations that watch the key): `npm run bench -- scan`. At a depth of MAX_DEPTH events
// or more, O(depth) a try.
import { endlessTries } from '../base/errors.ts';
import type { Slot } from '../slab/slab.ts';
import type { Job } from '../turns/job.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import type { Parking } from './parking.ts';
import type { Pass, Watchers } from './watchers.ts';

/** Deeper than sane events in tries, and shallow enough for the stack. */
const MAX_DEPTH = 256;
/** More watchers than a key can have. */
const ALL = 2 ** 30;

/** How far the first part of a pass has come. */
export type Begun =
  /** It is over. */
  | 'over'
  /** It goes on. */
  | HeldPass
  /** It needs a batch of its own, and has not begun. */
  | 'later';

/** The keys whose passes are to begin. */
export interface PendingKeys {
  /**
   * The pass of the key whose turn it is begins.
   *
   * @param pass undefined where at most one operation is to be tried.
   */
  take(pass: HeldPass | undefined): void;
}

/** What is left of the limit of an event. */
interface Tally {
  /** How many may still complete. A deadline that meets the event counts too. */
  left: number;
}

/** A pass that may last for several batches. */
export interface HeldPass extends Tally {
  readonly pass: Pass;
  /** How many watched the key when it began, and how many of them were tried. */
  readonly watchers: number;
  tried: number;
}

export class Passes<K> {
  readonly #parking: Parking<K, Watchers<K>>;
  /** Operations that are tried at a depth of MAX_DEPTH events or more, from the outermost in. */
  readonly #tried: DelayedOperation[] = [];
  #isUnwinding = false;
  /** What the last part of a pass left of its steps. */
  #stepsLeft = 0;

  constructor(parking: Parking<K, Watchers<K>>) {
    this.#parking = parking;
  }

  /** Tries those that watch `key` until `limit` have completed; how many did. */
  event(key: K, limit: number = Number.POSITIVE_INFINITY): number {
    const head = this.#parking.lists.find(key);
    return head === undefined || this.#isUnwinding ? 0 : this.#event(head, key, limit);
  }

  #event(head: Slot, key: K, limit: number): number {
    const parking = this.#parking;
    const { lists } = parking;
    const only = lists.loneWatcher(head);
    const depth = parking.beginEvent();
    const outerKey = parking.eventKey;
    parking.eventKey = key;
    try {
      return only === undefined ? this.#pass(head, key, depth, limit) : this.#try(only, key, depth) ? 1 : 0;
    } finally {
      parking.eventKey = outerKey;
      if (depth <= 1) this.#isUnwinding = false;
      parking.endEvent(depth);
    }
  }

  /**
   * Begins the pass of an event, as far as the batch of `job` allows. It is taken out of `pending`
   * before user code runs: a notify in a try causes one more pass.
   */
  begin(key: K, limit: number, job: Job, pending: PendingKeys): Begun {
    const { lists } = this.#parking;
    const head = lists.find(key);
    if (head === undefined || lists.loneWatcher(head) !== undefined) {
      pending.take(undefined);
      job.count(1, head === undefined ? 0 : this.#event(head, key, limit));
      this.#countPromises(job);
      return 'over';
    }
    const watchers = lists.sizeOf(head);
    if (watchers > Math.min(job.left, job.answersLeft) && watchers <= job.mostAnswers) return 'later';
    const pass = lists.beginPass(head);
    try {
      const begun = { pass, left: limit, watchers, tried: 0 };
      pending.take(begun);
      this.#part(begun, key, job);
      return isOver(begun) ? 'over' : { ...begun, pass: lists.hold(pass) };
    } finally {
      lists.endPass(pass);
    }
  }

  /**
   * Goes on with a pass that is held, as far as the batch of `job` allows. One that is over then is
   * released.
   */
  resume(held: HeldPass, key: K, job: Job): void {
    this.#part(held, key, job);
    if (isOver(held)) this.#parking.lists.release(held.pass);
  }

  #part(held: HeldPass, key: K, job: Job): void {
    const parking = this.#parking;
    const depth = parking.beginEvent();
    const outerKey = parking.eventKey;
    parking.eventKey = key;
    try {
      const { left } = job;
      const completed = this.#tryNext(held.pass, key, depth, held, job.answersLeft, left);
      const tried = left - this.#stepsLeft;
      held.tried += tried;
      job.count(tried, completed);
    } finally {
      parking.eventKey = outerKey;
      if (depth <= 1) this.#isUnwinding = false;
      parking.endEvent(depth);
    }
    this.#countPromises(job);
  }

  /** A deadline has completed one for the event of a pass: it counts as one of its limit. */
  countDeadline(held: HeldPass): void {
    if (--held.left <= 0) this.#parking.lists.release(held.pass);
  }

  /** An attempt that has returned a promise goes on in microtasks. */
  #countPromises(job: Job): void {
    const parking = this.#parking;
    if (!parking.hasPromises) return;
    parking.hasPromises = false;
    job.hasAnswered = true;
  }

  #pass(list: Slot, key: K, depth: number, limit: number): number {
    const { lists } = this.#parking;
    const pass = lists.beginPass(list);
    try {
      return this.#tryNext(pass, key, depth, { left: limit }, ALL, ALL);
    } finally {
      lists.endPass(pass);
    }
  }

  /**
   * Tries the next `steps` of a pass, until `most` have completed or nothing is left of the limit;
   * how many completed. What a deadline leaves nothing of ends the pass (`countDeadline`): so a try
   * in vain need not look at the limit.
   */
  #tryNext(pass: Pass, key: K, depth: number, limit: Tally, most: number, steps: number): number {
    const parking = this.#parking;
    const { lists, meter } = parking;
    const { tellsTries } = meter; // asked once: a pass tries many
    let completed = 0;
    let left = steps;
    while (pass.next >= 0 && left > 0) {
      left--;
      const operation = lists.step(pass);
      if (tellsTries) meter.willTry(operation, key);
      const isCompleted = depth < MAX_DEPTH ? parking.tries(operation) : this.#triesDeep(operation);
      if (!isCompleted) continue;
      completed++;
      if (--limit.left <= 0 || completed >= most) break;
    }
    this.#stepsLeft = left;
    return completed;
  }

  #try(operation: DelayedOperation, key: K, depth: number): boolean {
    const { meter } = this.#parking;
    if (meter.tellsTries) meter.willTry(operation, key);
    return depth < MAX_DEPTH ? this.#parking.tries(operation) : this.#triesDeep(operation);
  }

  /** Tries an operation at a depth of MAX_DEPTH events or more. */
  #triesDeep(operation: DelayedOperation): boolean {
    const parking = this.#parking;
    if (this.#tried.includes(operation)) {
      this.#isUnwinding = true;
      parking.lists.endInnerPasses();
      throw endlessTries(operation.constructor.name);
    }
    const tried = this.#tried.push(operation);
    try {
      return parking.tries(operation);
    } finally {
      this.#tried.length = tried - 1;
    }
  }
}

export function isOver({ pass, left }: HeldPass): boolean {
  return pass.next < 0 || left <= 0;
}
