// A clock of the user that a test moves while work is done, so that slices are spent. (On a
// ManualClock time stands still while work is done, whatever moves it.)
import { type Clock, ManualClock, type WakeUp } from '../../src/index.ts';

export class SlowClock implements Clock {
  readonly #manual = new ManualClock();

  now(): number {
    return this.#manual.now();
  }

  wakeAt(atMs: number, wake: () => void): WakeUp {
    return this.#manual.wakeAt(atMs, wake);
  }

  advance(ms: number): void {
    this.#manual.advance(ms);
  }
}
