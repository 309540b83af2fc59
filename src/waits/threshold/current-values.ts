// Calls the user's `current` for the values of keys that may have been missed, key by key.
//
// Invariants. A key has one question at a time, asked in the root async context, while an operation
// waits on it. The operation that begins to wait asks if the value is unknown, or in doubt: it fell
// (the log was truncated, or another writer was overtaken), or a gap came since it was read. An
// answer to a key that was advanced meanwhile counts only if it is higher. A question that fails is
// reported with the first operation that waits, and asked again as loads are (backoff.ts). Its
// timer keeps no process alive.
import { backoffMs } from '../../base/backoff.ts';
import { invalidReturnValue } from '../../base/node-errors.ts';
import { throwLater } from '../../base/report-error.ts';
import type { CheckedBusLink, Sweeper } from '../../bus/membership/bus-link.ts';
import { KeyWalk } from '../../bus/membership/key-walk.ts';
import { Sweep } from '../../bus/membership/sweep.ts';
import type { Clock } from '../../clock/clock.ts';
import { rootContext } from '../../clock/root-context.ts';
import type { Parking } from '../../purgatory/parking.ts';
import { SystemTimer } from '../../timer/system-timer.ts';
import { IN_DOUBT } from './level.ts';
import type { ThresholdValue } from './threshold-heap.ts';
import type { Threshold, Thresholds } from './thresholds.ts';

/** The user's option. It returns undefined or null for a key that has no value. */
export type Current<K, V extends ThresholdValue> = (
  key: K,
) => V | null | undefined | Promise<V | null | undefined>;

export class CurrentValues<K, V extends ThresholdValue> {
  readonly #current: Current<K, V>;
  readonly #parking: Parking<Threshold<K, V>, Thresholds<K, V>>;
  readonly #advance: (key: K, value: V) => void;
  readonly #timer: SystemTimer;
  /** Keys with an open question. True: ask once more after it. */
  readonly #asked = new Map<K, boolean>();
  /** Keys whose last question has failed and that will be asked again: the failures in a row. */
  readonly #failures = new Map<K, number>();
  #isClosed = false;

  /** @param advance takes an answer; what it throws is a failure of the question. */
  constructor(
    current: Current<K, V>,
    parking: Parking<Threshold<K, V>, Thresholds<K, V>>,
    advance: (key: K, value: V) => void,
    clock: Clock,
  ) {
    this.#current = current;
    this.#parking = parking;
    this.#advance = advance;
    this.#timer = new SystemTimer({ clock, onError: throwLater }).unref();
  }

  /**
   * Asks for the value of `key`. A question that is open may have been too early: another follows
   * it.
   */
  ask(key: K): void {
    if (this.#asked.has(key)) this.#asked.set(key, true);
    else if (!this.#failures.has(key)) this.#askInRoot(key);
  }

  /** The value of `key` is lower than the one before. O(1). */
  doubt(key: K): void {
    this.#parking.lists.confirm(key, IN_DOUBT);
    // An open question may outlive the waits that asked: one that begins before its end relies on
    // it.
    if (this.#asked.has(key) || this.#parking.lists.watchersOf(key) > 0) this.ask(key);
  }

  /**
   * Values may have been missed: asks for those of watched keys at once, for the others when
   * somebody begins to wait.
   */
  sweeper({ sweepMs, clock }: CheckedBusLink): Sweeper {
    const { lists } = this.#parking;
    const sweep = new Sweep(new KeyWalk<K>(lists, (key) => this.ask(key)), sweepMs, clock);
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
    if (!this.#parking.lists.isSure(key) && !this.#asked.has(key)) this.ask(key);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer.close();
  }

  #askInRoot(key: K): void {
    void rootContext.runInAsyncScope(this.#ask, this, key);
  }

  async #ask(key: K): Promise<void> {
    this.#asked.set(key, false);
    const { lists } = this.#parking;
    const { era } = lists;
    const before = lists.valueOf(key);
    try {
      const current = this.#current;
      this.#take(key, before, await current(key));
      this.#failures.delete(key);
      if (this.#asked.get(key) === false) lists.confirm(key, era);
    } catch (error) {
      if (this.#isClosed) return;
      const [first] = lists.operationsOf(key, 1);
      if (first !== undefined) this.#parking.report(error, first);
      this.#retryLater(key);
    }
    const isAskedAgain = this.#asked.get(key);
    this.#asked.delete(key);
    if (isAskedAgain === true && this.#isWaitedOn(key)) this.ask(key);
  }

  #retryLater(key: K): void {
    if (this.#isClosed) return; // by `onError`
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const retry = (): void => {
      if (this.#isWaitedOn(key)) this.#askInRoot(key);
      else this.#failures.delete(key);
    };
    this.#timer.schedule(retry, backoffMs(failures, Math.random()));
  }

  #isWaitedOn(key: K): boolean {
    return !this.#isClosed && this.#parking.lists.watchersOf(key) > 0;
  }

  #take(key: K, before: V | undefined, value: V | null | undefined): void {
    if (this.#isClosed || value === undefined || value === null) return;
    checkCurrent(value);
    const now = this.#parking.lists.valueOf(key);
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
