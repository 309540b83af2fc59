// A wait for what a line hands over.
//
// Invariants. Those of Wait. It ends with what it was given by `give` alone, so a listener that forces
// it makes none. It has no condition: its line says when it is served.
import { Wait } from '../../purgatory/wait.ts';

export abstract class LineWait extends Wait {
  /** Ends it with what is handed over. It is parked. */
  give(taken: object): void {
    this.complete(taken);
  }

  override tryComplete(): boolean {
    return false;
  }

  override forceComplete(): boolean {
    return false;
  }
}
