// The units of each key: how many are free, and the hand-over to those who wait.
//
// Invariants. Units are free while somebody waits only if the first wants more than are free, or if
// the line is owed (HandOvers). Nobody gets a unit on a line that holds as many as there are, or more.
import { notWithin } from '../../base/errors.ts';
import { invalidReturnValue } from '../../base/node-errors.ts';
import { cut, keyText } from '../../base/text.ts';
import type { ParkingParts } from '../../purgatory/purgatory-options.ts';
import { Barrier, type BarrierOptions, type BarrierResult } from '../../timer/barrier.ts';
import { HandOvers } from '../lines/hand-overs.ts';
import { type Bank, type Holding, Permit, UnitLine } from './permit.ts';
import type { UnitWait } from './unit-wait.ts';

/** Equal deadlines within so many ms are rejected with one error: a stack costs more than a wait. */
const SHARED_ERROR_MS = 10;

/** How many units each key has, or what says it. */
export type UnitsOf<K> = number | ((key: K) => number);

export class Units<K> extends HandOvers<K, UnitLine<K>> implements Bank<K> {
  /** The option, or what `resize` has set. */
  units: UnitsOf<K>;
  /** Units that are held, of all keys. */
  held = 0;
  /** Permits that were given. */
  given = 0;
  /** No unit is held. */
  readonly #idle = new Barrier();
  /** The last error of a deadline. */
  #timeout: { line: unknown; units: number; timeoutMs: number; madeMs: number; error: Error } | undefined;

  constructor(units: UnitsOf<K>, parts: ParkingParts) {
    super(parts);
    this.units = units;
  }

  override newLine(key: K): UnitLine<K> {
    return new UnitLine(key, this, typeof this.units === 'number' ? this.units : 0);
  }

  /** The line of `key`. One that begins is asked for its units: by user code, which may do anything. */
  lineOf(key: K): UnitLine<K> {
    const line = this.lists.lineOf(key);
    if (typeof this.units === 'number' || !line.isIdle) return line;
    const units = this.unitsOf(key);
    const begun = this.lists.lineOf(key);
    begun.units = units;
    return begun;
  }

  /** @throws what user code throws. TypeError ERR_INVALID_RETURN_VALUE for a bad number. */
  unitsOf(key: K): number {
    if (typeof this.units === 'number') return this.units;
    const units = this.units(key);
    if (Number.isSafeInteger(units) && units >= 1) return units;
    throw invalidReturnValue('an integer >= 1', 'units', units);
  }

  /** Takes free units of `line`. */
  take(line: UnitLine<K>, units: number, label: string | undefined): Permit {
    line.held += units;
    this.held += units;
    this.given++;
    const permit = new Permit(units, line as UnitLine<never>);
    if (label !== undefined) {
      line.labelled ??= new Map();
      line.labelled.set(permit, { label, sinceMs: this.parking.meter.now() });
    }
    return permit;
  }

  takeBack(line: UnitLine<K>, permit: Permit): void {
    line.held -= permit.units;
    this.held -= permit.units;
    line.labelled?.delete(permit);
    if (line.waiting > 0) this.serve(line);
    else if (line.held === 0) this.lists.rest(line);
    if (this.held === 0) this.#idle.open();
  }

  idle(options: BarrierOptions | undefined): Promise<BarrierResult> {
    return this.#idle.wait(this.parking.timer.clock, this.held === 0, options);
  }

  resize(units: number): void {
    this.units = units;
    for (const line of this.lists.lines()) line.units = units;
    this.serveAll();
  }

  /** Asks a key anew that is in use. */
  resizeKey(key: K): void {
    const units = this.unitsOf(key);
    const line = this.lists.known(key);
    if (line === undefined) return;
    line.units = units;
    this.serve(line);
  }

  override canGive(line: UnitLine<K>): boolean {
    return line.waiting > 0 && (this.lists.firstOf(line) as UnitWait).units <= line.free;
  }

  protected override give(line: UnitLine<K>): void {
    const wait = this.lists.firstOf(line) as UnitWait;
    wait.give(this.take(line, wait.units, wait.$label));
  }

  timedOut(line: UnitLine<K>, units: number, timeoutMs: number): Error {
    const nowMs = this.parking.meter.now();
    const last = this.#timeout;
    const isSame = last?.line === line && last.units === units && last.timeoutMs === timeoutMs;
    if (isSame && nowMs - last.madeMs < SHARED_ERROR_MS) return last.error;
    const { name } = this.parking;
    const of = line.key === name ? `"${name}"` : `"${name}" for the key ${keyText(line.key)}`;
    const error = notWithin(`No permit of ${of}`, timeoutMs, `: ${this.#whyNone(line, units, nowMs)}`);
    this.#timeout = { line, units, timeoutMs, madeMs: nowMs, error };
    return error;
  }

  #whyNone(line: UnitLine<K>, wanted: number, nowMs: number): string {
    const { held } = line;
    const wants = wanted > 1 ? `, and ${wanted} were asked for` : '';
    const units = `${held} of ${line.units} units are held`;
    const [longest] = line.labelled?.values() ?? [];
    if (longest === undefined) return `${units}${wants}, none by a permit with a label`;
    const by = longestText(longest, nowMs);
    // Nobody knows since when the others are held: one of them may be the leak.
    let others = held;
    for (const permit of line.labelled?.keys() ?? []) others -= permit.units;
    return others === 0
      ? `${units}${wants}, ${by}`
      : `${units}, ${others} without a label${wants}; of those with a label, ${by}`;
  }
}

function longestText({ label, sinceMs }: Holding, nowMs: number): string {
  const ageMs = Math.max(0, Math.round(nowMs - sinceMs));
  const age = ageMs < 1_000 ? `${ageMs} ms` : `${Math.round(ageMs / 1_000)} s`;
  return `the longest for ${age} by "${cut(label)}"`;
}
