// What an attempt of `waitFor` is given: a signal that aborts when nobody wants the result of the
// attempt any more.
//
// Ground rules. It belongs to one waiter, which tells it when the wait is over without an answer.
// The signal is made when an attempt asks for it first: most attempts look at memory and never do.
// One made after the end is aborted.

/** Given to each attempt of {@link Purgatory.waitFor}. */
export interface AttemptContext {
  /**
   * Aborts when the wait ends without a value: by its deadline, an abort, `cancelForKey`, `close`
   * or a throw. Made on demand.
   */
  readonly signal: AbortSignal;
}

export class LazySignal implements AttemptContext {
  #controller: AbortController | undefined;
  #reason: (() => unknown) | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason());
    }
    return this.#controller.signal;
  }

  /** The wait is over; `reason` is asked for only where there is a signal. */
  abort(reason: () => unknown): void {
    this.#reason = reason;
    this.#controller?.abort(reason());
  }
}
