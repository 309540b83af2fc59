// A wait for a permit.
//
// Invariants. Those of Wait. It ends with a permit by `give` alone, so a listener that forces it
// makes no units. It has no condition: its line says when it is served.
import { Rejection } from '../../base/rejection.ts';
import type { CheckedWaitOptions } from '../../purgatory/purgatory-options.ts';
import { Wait } from '../../purgatory/wait.ts';
import type { Permit, UnitLine } from './permit.ts';

export class UnitWait extends Wait {
  readonly units: number;
  readonly #line: UnitLine<never>;

  constructor(units: number, line: UnitLine<never>, options: CheckedWaitOptions) {
    super(options);
    this.units = units;
    this.#line = line;
  }

  /** Ends it with `permit`. It is parked. */
  give(permit: Permit): void {
    this.complete(permit);
  }

  override get $type(): string {
    return 'acquire';
  }

  override tryComplete(): boolean {
    return false;
  }

  override forceComplete(): boolean {
    return false;
  }

  override expiry(): Rejection {
    const line = this.#line;
    return new Rejection(line.bank.timedOut(line, this.units, this.delayMs));
  }
}
