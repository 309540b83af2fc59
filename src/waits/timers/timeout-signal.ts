/// <reference lib="esnext.disposable" preserve="true" />
// `timeoutSignal`: AbortSignal.timeout on timing wheels, with a parent and an end.
//
// Ground rules. A signal that has aborted or was disposed stands in no timer and listens to no
// parent. All signals without a timer of their own share one timer. Like AbortSignal.timeout, it
// keeps no process alive. Nobody can close it.
//
// Why a disposable: the host keeps an AbortSignal.timeout, and all that its listeners hold, until
// its delay is over. `using signal = timeoutSignal(5_000)` ends with its block, in O(1).

import { type Abortable, abortReason, addAbortable, removeAbortable } from '../../base/abort-listeners.ts';
import { checkedSignal, checkedTimeout } from '../../base/checks.ts';
import { DISPOSE } from '../../base/dispose.ts';
import { knownOptions, type OptionNames } from '../../base/options.ts';
import { SystemTimer } from '../../timer/system-timer.ts';
import type { Timer } from '../../timer/timer.ts';
import { checkedTimer } from '../../timer/timer-option.ts';
import { TimerTask } from '../../timer/timer-task.ts';

/** The options of {@link timeoutSignal}; all may be left out. */
export interface TimeoutSignalOptions {
  /** A parent: when it aborts, the signal does, with the parent's reason. */
  signal?: AbortSignal | undefined;
  /**
   * The timer that it uses, which decides whether the process is kept alive. Default: one for all
   * such signals, `unref()`'d.
   */
  timer?: Timer | undefined;
}

const OPTIONS: OptionNames<TimeoutSignalOptions> = { signal: true, timer: true };
const sharedTimer = new SystemTimer().unref();

/**
 * A signal that aborts `delayMs` from now, or a little later, with a DOMException TimeoutError. If
 * its parent `options.signal` aborts before, the signal aborts at once with the parent's reason.
 * Fake clocks of the host move it. `using`, or `[Symbol.dispose]()`, ends it: then it never aborts,
 * and leaves nothing in the timer or on the parent. (In a realm without that symbol, as in jest on Node
 * 20 and 22, it is `Symbol.for('Symbol.dispose')`, by which esbuild and Babel compile `using`.) O(1).
 *
 * It keeps no process alive, unless `options.timer` does.
 *
 * @param delayMs in ms; negative counts as 0, which is the next turn; Infinity: only the parent
 *   aborts it.
 * @throws TypeError, RangeError (Node's codes) for a bad argument.
 * @throws PurgatoryError ERR_PURGATORY_CLOSED, _FULL: by the timer that was given.
 */
export function timeoutSignal(delayMs: number, options?: TimeoutSignalOptions): AbortSignal & Disposable {
  checkedTimeout('delayMs', delayMs);
  const given = knownOptions('a timeoutSignal', options, OPTIONS);
  const parent = checkedSignal('options.signal', given.signal);
  const timer = given.timer === undefined ? sharedTimer : checkedTimer(given.timer);
  const timeout = new SignalTimeout(delayMs, timer, parent);
  return Object.assign(timeout.signal, { [DISPOSE]: () => timeout.end() });
}

class SignalTimeout extends TimerTask implements Abortable {
  readonly #controller = new AbortController();
  readonly #timer: Timer;
  readonly #parent: AbortSignal | undefined;

  constructor(delayMs: number, timer: Timer, parent: AbortSignal | undefined) {
    super(delayMs);
    this.#timer = timer;
    this.#parent = parent;
    if (parent?.aborted) {
      this.#controller.abort(abortReason(parent));
      return;
    }
    if (parent !== undefined) addAbortable(parent, this);
    if (this.signal.aborted) return; // by the parent, as it was listened to
    try {
      if (delayMs === Number.POSITIVE_INFINITY) timer.checkRoom(delayMs);
      else timer.add(this);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    this.#timer.remove(this);
    if (this.#parent !== undefined) removeAbortable(this.#parent, this);
  }

  override run(): void {
    this.end();
    this.#controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }

  abort(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }
}
