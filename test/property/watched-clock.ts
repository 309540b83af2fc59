// A manual clock that reports the begin and end of each wake-up. So a model knows where one pass
// ends and the next begins.
import { ManualClock, type WakeUp } from '../../src/index.ts';

export class WatchedClock extends ManualClock {
  readonly #pass: (wake: () => void) => void;

  /** @param pass is given each wake-up, which it must call. */
  constructor(startMs: number, pass: (wake: () => void) => void) {
    super(startMs);
    this.#pass = pass;
  }

  override wakeAt(atMs: number, wake: () => void): WakeUp {
    return super.wakeAt(atMs, () => this.#pass(wake));
  }
}
