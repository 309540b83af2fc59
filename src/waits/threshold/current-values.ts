// Calls the user's `current` for the values of keys that may have been missed, key by key.
//
// Invariants. A key has one question at a time, asked in the root async context, while an operation
// waits on it. The operation that begins to wait asks if the value is unknown, or in doubt: it fell
// (the log was truncated, or another writer was overtaken), or a gap came since it was read. An
// answer to a key that was advanced meanwhile counts only if it is higher. A question that fails, or
// is open for `loadTimeoutMs`, is reported with the first operation that waits, and asked again as
// loads are (backoff.ts). Its timer keeps no process alive.
import { backoffMs } from '../../base/backoff.ts';
import { notWithin } from '../../base/errors.ts';
import { invalidReturnValue } from '../../base/node-errors.ts';
import { throwLater } from '../../base/report-error.ts';
import { keyText } from '../../base/text.ts';
import type { CheckedBusLink, Sweeper } from '../../bus/membership/bus-link.ts';
import { KeyWalk } from '../../bus/membership/key-walk.ts';
import { Sweep } from '../../bus/membership/sweep.ts';
import type { Clock } from '../../clock/clock.ts';
import { inOwnScope, inRootContext } from '../../clock/root-context.ts';
import type { Parking } from '../../purgatory/parking.ts';
import { SystemTimer } from '../../timer/system-timer.ts';
import type { Current } from './threshold-options.ts';
import { IN_DOUBT, type Threshold, type Thresholds, type ThresholdValue } from './thresholds.ts';

/** An open question. */
interface Question {
  readonly controller: AbortController;
  /** It may have been too early: ask once more after it. */
  isTooEarly: boolean;
}

export class CurrentValues<K, V extends ThresholdValue> {
  readonly #current: Current<K, V>;
  readonly #loadTimeoutMs: number;
  readonly #parking: Parking<Threshold<K, V>, Thresholds<K, V>>;
  readonly #advance: (key: K, value: V) => void;
  readonly #random: () => number;
  readonly #timer: SystemTimer;
  /** By key. */
  readonly #questions = new Map<K, Question>();
  /** Keys whose last question has failed and that will be asked again: the failures in a row. */
  readonly #failures = new Map<K, number>();

  /** @param advance takes an answer; what it throws is a failure of the question. */
  constructor(
    current: Current<K, V>,
    loadTimeoutMs: number,
    parking: Parking<Threshold<K, V>, Thresholds<K, V>>,
    advance: (key: K, value: V) => void,
    clock: Clock,
    random: () => number,
  ) {
    this.#current = current;
    this.#loadTimeoutMs = loadTimeoutMs;
    this.#parking = parking;
    this.#advance = advance;
    this.#random = random;
    this.#timer = new SystemTimer({ clock, onError: throwLater }).unref();
  }

  /**
   * Asks for the value of `key`. A question that is open may have been too early: another follows
   * it.
   */
  ask(key: K): void {
    const open = this.#questions.get(key);
    if (open !== undefined) open.isTooEarly = true;
    else if (!this.#failures.has(key)) this.#askInRoot(key);
  }

  /** The value of `key` is lower than the one before. O(1). */
  doubt(key: K): void {
    this.#parking.lists.confirm(key, IN_DOUBT);
    // An open question may outlive the waits that asked: one that begins before its end relies on
    // it.
    if (this.#questions.has(key) || this.#isWaitedOn(key)) this.ask(key);
  }

  /**
   * Values may have been missed: asks for those of watched keys at once, for the others when
   * somebody begins to wait.
   */
  sweeper(link: CheckedBusLink): Sweeper {
    const { lists } = this.#parking;
    const visit = (key: K): number => {
      const watchers = lists.watchersOf(key);
      if (watchers > 0) this.ask(key);
      return watchers;
    };
    const sweep = new Sweep(new KeyWalk(lists.levels, visit), link);
    return {
      begin(ended) {
        lists.doubtAll();
        sweep.begin(ended);
      },
      stop: () => sweep.stop(),
    };
  }

  /** An operation waits on `key`. O(1). */
  waited(key: K): void {
    if (!this.#parking.lists.isSure(key) && !this.#questions.has(key)) this.ask(key);
  }

  close(): void {
    this.#timer.close();
    for (const { controller } of this.#questions.values()) controller.abort();
  }

  #askInRoot(key: K): void {
    void inRootContext(this.#ask, this, key);
  }

  async #ask(key: K): Promise<void> {
    const question: Question = { controller: new AbortController(), isTooEarly: false };
    this.#questions.set(key, question);
    const { lists } = this.#parking;
    const { era } = lists;
    const before = lists.valueAt(key);
    try {
      this.#take(key, before, await this.#answer(key, question.controller));
      this.#failures.delete(key);
      if (!question.isTooEarly) lists.confirm(key, era);
    } catch (error) {
      const [first] = lists.operationsOf(key, 1);
      if (first !== undefined) this.#parking.report(error, first);
      this.#retryLater(key);
    }
    this.#questions.delete(key);
    if (question.isTooEarly && this.#isWaitedOn(key)) this.ask(key);
  }

  /** What the user answers. Rejects after `loadTimeoutMs`, too; then the signal aborts. */
  async #answer(key: K, controller: AbortController): Promise<V | null | undefined> {
    const current = this.#current;
    const answer = inOwnScope(() => current(key, { signal: controller.signal }));
    const limitMs = this.#loadTimeoutMs;
    if (limitMs === Number.POSITIVE_INFINITY || typeof answer !== 'object' || answer === null) return answer;
    return new Promise((resolve, reject) => {
      const read = Promise.resolve(answer);
      read.then(resolve, reject);
      const timeOut = (): void => {
        const error = notWithin(`current of the key ${keyText(key)} has not ended`, limitMs);
        reject(error);
        controller.abort(error);
      };
      const task = this.#timer.schedule(timeOut, limitMs);
      const stop = (): void => void task.cancel();
      read.then(stop, stop);
    });
  }

  #retryLater(key: K): void {
    if (this.#parking.isClosed) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const retry = (): void => {
      if (this.#isWaitedOn(key)) this.#askInRoot(key);
      else this.#failures.delete(key);
    };
    this.#timer.schedule(retry, backoffMs(failures, this.#random()));
  }

  #isWaitedOn(key: K): boolean {
    return this.#parking.lists.watchersOf(key) > 0;
  }

  #take(key: K, before: V | undefined, value: V | null | undefined): void {
    if (this.#parking.isClosed || value === undefined || value === null) return;
    checkCurrent(value);
    const now = this.#parking.lists.valueAt(key);
    if (now !== before && now !== undefined && now >= value) return;
    this.#advance(key, value);
  }
}

/**
 * @throws TypeError ERR_INVALID_RETURN_VALUE: a client of a database may give a text, such as '5'.
 */
function checkCurrent(value: unknown): void {
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isNaN(value))) return;
  throw invalidReturnValue('a number or a bigint, or undefined or null for none,', 'current', value);
}
