// One expected reply: a timer task behind a promise.
//
// Ground rules. Its keeper is the table of replies that holds it (timer-protocol.ts). It ends by
// the reply, by the deadline, by an abort, by `rejectAll` or `close` of its table, or when a shared
// timer is closed. Each of them takes it off the table, the timer and its signal first. Then its
// promise settles.
import { type Abortable, addAbortable, removeAbortable } from '../../base/abort-listeners.ts';
import type { TaskKeeper } from '../../timer/timer-protocol.ts';
import { TimerTask } from '../../timer/timer-task.ts';
import type { Settling } from '../../turns/settlements.ts';

/** The table that holds an expected reply. */
export interface ReplyKeeper extends TaskKeeper {
  /** The deadline of `reply` has come. */
  expire(reply: TimerTask): void;
  /** The signal of `reply` has aborted. */
  abort(reply: TimerTask, reason: unknown): void;
}

export class ExpectedReply<K, V> extends TimerTask implements Abortable, Settling {
  readonly id: K;
  readonly #resolve: (value: V) => void;
  readonly #reject: (reason: unknown) => void;
  #outcome: unknown;
  #isRefused = false;
  readonly #signal: AbortSignal | undefined;

  constructor(
    id: K,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    resolve: (value: V) => void,
    reject: (reason: unknown) => void,
  ) {
    super(timeoutMs);
    this.id = id;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** What its promise is to settle with. */
  end(outcome: unknown, isRefused: boolean): this {
    this.#outcome = outcome;
    this.#isRefused = isRefused;
    return this;
  }

  settle(): void {
    if (this.#isRefused) this.#reject(this.#outcome);
    else this.#resolve(this.#outcome as V);
  }

  watchSignal(): void {
    if (this.#signal !== undefined) addAbortable(this.#signal, this);
  }

  forgetSignal(): void {
    if (this.#signal !== undefined) removeAbortable(this.#signal, this);
  }

  /** The timer calls this at the deadline; it leaves $keeper in place (timer-protocol.ts). */
  override run(): void {
    (this.$keeper as ReplyKeeper).expire(this);
  }

  abort(reason: unknown): void {
    (this.$keeper as ReplyKeeper).abort(this, reason);
  }
}
