// Asks the user for the values of keys that were missed, key by key, during a sweep.
//
// Ground rules. It asks for a key only while an operation waits on it, and once at a time, and
// hands the answer to its owner. The key may be advanced while a question is open. Then the answer
// counts only if it is higher, as it may be older. A question that fails is asked again after
// RETRY_MS, while an operation waits on the key. Its timer keeps no process alive.
import type { Clock } from '../clock/clock.ts';
import { throwLater } from '../report-error.ts';
import { SystemTimer } from '../timer/system-timer.ts';
import type { ThresholdValue } from './threshold-heap.ts';

/** What it asks of its purgatory. */
export interface ValuesOwner<K, V extends ThresholdValue> {
  isWaitedOn(key: K): boolean;
  valueOf(key: K): V | undefined;
  advance(key: K, value: V): void;
  /** The user's `current`, or what it gave, has failed. */
  failed(key: K, error: unknown): void;
}

/** The user's option. */
export type Current<K, V extends ThresholdValue> = (key: K) => V | undefined | Promise<V | undefined>;

const RETRY_MS = 1_000;

export class CurrentValues<K, V extends ThresholdValue> {
  readonly #current: Current<K, V>;
  readonly #owner: ValuesOwner<K, V>;
  readonly #timer: SystemTimer;
  /** Keys with an open question. True: ask once more after it. */
  readonly #asked = new Map<K, boolean>();
  #isClosed = false;

  constructor(current: Current<K, V>, owner: ValuesOwner<K, V>, clock: Clock) {
    this.#current = current;
    this.#owner = owner;
    this.#timer = new SystemTimer({ clock, onError: throwLater }).unref();
  }

  /**
   * Asks for the value of `key`. A question that is open may have been too early: another follows
   * it.
   */
  ask(key: K): void {
    if (this.#asked.has(key)) this.#asked.set(key, true);
    else void this.#ask(key);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer.close();
  }

  async #ask(key: K): Promise<void> {
    this.#asked.set(key, false);
    const before = this.#owner.valueOf(key);
    try {
      const current = this.#current;
      this.#take(key, before, await current(key));
    } catch (error) {
      if (this.#isClosed) return;
      this.#owner.failed(key, error);
      this.#timer.schedule(() => this.#again(key), RETRY_MS * (1 + Math.random() / 2));
    }
    const isAskedAgain = this.#asked.get(key);
    this.#asked.delete(key);
    if (isAskedAgain === true) this.#again(key);
  }

  #again(key: K): void {
    if (!this.#isClosed && this.#owner.isWaitedOn(key)) this.ask(key);
  }

  #take(key: K, before: V | undefined, value: V | undefined): void {
    if (this.#isClosed || value === undefined) return;
    const now = this.#owner.valueOf(key);
    if (now !== before && now !== undefined && now >= value) return;
    this.#owner.advance(key, value);
  }
}
