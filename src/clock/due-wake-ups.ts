// Wake-ups whose time has come: they run in the next turn, and not a whole millisecond later.
//
// Each runs in an immediate of its own: Node runs microtasks between two, and the others when one
// throws. No immediate is cleared (later.ts). One whose wake-up was cancelled runs the next that is
// added, or nothing: to set and cancel wake-ups in a turn takes one immediate, however many they are.
import { inNextTurn } from './later.ts';

/** Runs wake-ups whose time has come, in a later turn. */
export interface Turns {
  add(wake: () => void): void;
  delete(wake: () => void): void;
}

export class DueWakeUps implements Turns {
  readonly #wakes = new Set<() => void>();
  #immediates = 0;

  add(wake: () => void): void {
    this.#wakes.add(wake);
    if (this.#immediates >= this.#wakes.size) return;
    this.#immediates++;
    inNextTurn(this.#runOne);
  }

  delete(wake: () => void): void {
    this.#wakes.delete(wake);
  }

  readonly #runOne = (): void => {
    this.#immediates--;
    for (const wake of this.#wakes) {
      this.#wakes.delete(wake);
      wake();
      return;
    }
  };
}
