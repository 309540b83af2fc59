// Who holds units, since when: the permits that were given a label.
//
// Ground rules. A permit without a label costs nothing here. The order is that in which the permits
// were given, so the first one has been held longest. add, remove: O(1). The longest: amortised.
import { firstOf } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { Permit, UnitLine } from './permit.ts';

/** A permit that is held, with the label that `acquire` was given. */
export interface Holding<K> {
  readonly line: UnitLine<K>;
  readonly label: string;
  /** When it was given, in ms by the timer's clock. */
  readonly sinceMs: number;
  readonly units: number;
}

export class Holders<K> {
  readonly #all = new Map<Permit, Holding<K>>();

  get size(): number {
    return this.#all.size;
  }

  add(permit: Permit, line: UnitLine<K>, label: string, sinceMs: number): void {
    this.#all.set(permit, { line, label, sinceMs, units: permit.units });
    line.labelled ??= new Set();
    line.labelled.add(permit);
    line.labelledUnits += permit.units;
  }

  /** Does nothing for a permit without a label. */
  remove(permit: Permit, line: UnitLine<K>): void {
    if (!this.#all.delete(permit)) return;
    line.labelled?.delete(permit);
    line.labelledUnits -= permit.units;
    if (line.labelled?.size === 0) line.labelled = undefined;
  }

  /** The one held longest on a line. */
  longest(line: UnitLine<K>): Holding<K> | undefined {
    const [permit] = line.labelled ?? [];
    return permit && this.#all.get(permit);
  }

  /** The `top` that have been held longest, of all. O(top). */
  longestFirst(top: number): Holding<K>[] {
    return firstOf(this.#all.values(), top);
  }
}
