// A wait for a permit.
//
// Invariants. Those of LineWait.
import { Rejection } from '../../base/rejection.ts';
import type { CheckedWaitOptions } from '../../purgatory/purgatory-options.ts';
import { LineWait } from '../lines/line-wait.ts';
import type { UnitLine } from './permit.ts';

export class UnitWait extends LineWait {
  readonly units: number;
  readonly #line: UnitLine<never>;

  constructor(units: number, line: UnitLine<never>, options: CheckedWaitOptions) {
    super(options);
    this.units = units;
    this.#line = line;
  }

  override get $type(): string {
    return 'acquire';
  }

  override expiry(): Rejection {
    const line = this.#line;
    return new Rejection(line.bank.timedOut(line, this.units, this.delayMs));
  }
}
