// Wake-ups whose time has come: they run in the next turn, and not a whole millisecond later.
//
// Each runs in an immediate of its own: Node runs microtasks between two, and the others when one
// throws. No immediate is cleared (later.ts). That of a wake-up that was cancelled does nothing.
import { inNextTurn } from './later.ts';

/** Runs wake-ups whose time has come, in a later turn. */
export interface WakeUpQueue {
  add(wake: () => void): void;
  delete(wake: () => void): void;
}

export class DueWakeUps implements WakeUpQueue {
  readonly #wakes = new Set<() => void>();

  add(wake: () => void): void {
    this.#wakes.add(wake);
    inNextTurn(() => {
      if (this.#wakes.delete(wake)) wake();
    });
  }

  delete(wake: () => void): void {
    this.#wakes.delete(wake);
  }
}
