/// <reference lib="esnext.disposable" preserve="true" />
// What has a name, and waits by a timer: all kinds of purgatories, Replies, IdleTimeouts.
import { DISPOSE, nameDispose } from '../base/dispose.ts';
import type { Timer } from './timer.ts';

export abstract class TimerClient {
  /** For people: errors, snapshots and metrics show it. */
  readonly name: string;
  readonly #timer: Timer;

  /** @internal */
  protected constructor(name: string, timer: Timer) {
    this.name = name;
    this.#timer = timer;
  }

  /** How many there are that wait: parked, expected or tracked. The name is Kafka's. O(1). */
  abstract get numDelayed(): number;

  /** The timer of its deadlines: the one that it was given, or its own SystemTimer. */
  get timer(): Timer {
    return this.#timer;
  }

  /**
   * What waits keeps the process alive, as at first, unless it has no deadline. Calls `ref` of the
   * timer, also of a shared one. O(1).
   */
  ref(): this {
    this.#timer.ref();
    return this;
  }

  /** Nothing that waits keeps the process alive. Calls `unref` of the timer, also of a shared one. O(1). */
  unref(): this {
    this.#timer.unref();
    return this;
  }

  abstract close(): unknown;

  [Symbol.dispose](): void {
    this.close();
  }

  static {
    nameDispose(TimerClient, DISPOSE);
  }
}
