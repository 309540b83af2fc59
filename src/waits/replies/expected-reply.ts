// One expected reply: a timer task behind a promise.
//
// Ground rules. Its keeper is the table of replies that holds it (timer-task.ts). It ends by
// the reply, by the deadline, by an abort, by `rejectAll` or `close` of its table, or when a shared
// timer is closed. Each of them takes it off the table, the timer and its signal first. Then its
// promise settles.
import type { Abortable } from '../../base/abort-listeners.ts';
import { resolution } from '../../base/rejection.ts';
import { cut, keyText } from '../../base/text.ts';
import type { ReadWaitOptions } from '../../purgatory/purgatory-options.ts';
import type { TaskKeeper } from '../../timer/timer-task.ts';
import { TimerTask } from '../../timer/timer-task.ts';
import type { Settleable } from '../../turns/settler.ts';

/** The table that holds an expected reply. */
export interface ReplyKeeper extends TaskKeeper {
  /** The deadline of `reply` has come. */
  expire(reply: TimerTask): void;
  /** The signal of `reply` has aborted. */
  abort(reply: TimerTask, reason: unknown): void;
}

export class ExpectedReply<K, V> extends TimerTask implements Abortable, Settleable {
  readonly id: K;
  readonly signal: AbortSignal | undefined;
  readonly label: string | undefined;
  /** A timer reads it in each `add`. */
  declare delayMs: number;
  /** When it was expected, and when its deadline began: in whole ms of the clock, as int32s. */
  sinceStamp: number;
  filedStamp: number;
  #resolve: ((outcome: unknown) => void) | undefined;
  #outcome: unknown;

  constructor(id: K, { timeoutMs, signal, label }: ReadWaitOptions) {
    super(timeoutMs);
    this.id = id;
    this.signal = signal;
    this.label = label;
    this.sinceStamp = 0;
    this.filedStamp = 0;
    this.#resolve = undefined;
    this.#outcome = undefined;
  }

  /** The id and the label of its request, for people. */
  get text(): string {
    const label = this.label === undefined ? '' : ` ("${cut(this.label)}")`;
    return `${keyText(this.id)}${label}`;
  }

  promise(): Promise<V> {
    return new Promise<unknown>((resolve) => {
      this.#resolve = resolve;
    }) as Promise<V>;
  }

  /** What its promise is to settle with: a value, or a Rejection. */
  end(outcome: unknown): this {
    this.#outcome = outcome;
    return this;
  }

  settle(): void {
    this.#resolve?.(resolution(this.#outcome));
  }

  /** The timer calls this at the deadline; it leaves $keeper in place (timer-task.ts). */
  override run(): void {
    (this.$keeper as ReplyKeeper).expire(this);
  }

  abort(reason: unknown): void {
    (this.$keeper as ReplyKeeper).abort(this, reason);
  }
}
