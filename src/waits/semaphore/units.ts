// The units of each key: how many are free, and the hand-over to those who wait.
//
// Invariants. Units are free while somebody waits only if the first wants more than are free, or if
// the line is owed (HandOvers). Nobody gets a unit on a line that holds as many as there are, or more.
import { notWithin } from '../../base/errors.ts';
import { cut, keyText } from '../../base/text.ts';
import type { ParkingParts } from '../../purgatory/purgatory-options.ts';
import { HandOvers } from '../lines/hand-overs.ts';
import { Holders, type Holding } from './holders.ts';
import { type Bank, Permit, UnitLine } from './permit.ts';
import type { UnitWait } from './unit-wait.ts';

/** Equal deadlines within so many ms are rejected with one error: a stack costs more than a wait. */
const SHARED_ERROR_MS = 10;

export class Units<K> extends HandOvers<K, UnitLine<K>> implements Bank<K> {
  units: number;
  /** Units that are held, of all keys. */
  held = 0;
  /** Permits that were given. */
  given = 0;
  /** Who waits until no unit is held. */
  #awaitIdle: (() => void)[] = [];
  readonly holders: Holders<K> = new Holders();
  /** The last error of a deadline. */
  #timeout: { line: unknown; units: number; timeoutMs: number; madeMs: number; error: Error } | undefined;

  constructor(units: number, parts: ParkingParts) {
    super(parts);
    this.units = units;
  }

  override newLine(key: K): UnitLine<K> {
    return new UnitLine(key, this);
  }

  /** Takes free units of `line`. */
  take(line: UnitLine<K>, units: number, label: string | undefined): Permit {
    line.held += units;
    this.held += units;
    this.given++;
    const permit = new Permit(units, line as UnitLine<never>);
    if (label !== undefined) this.holders.add(permit, line, label, this.parking.meter.now());
    return permit;
  }

  takeBack(line: UnitLine<K>, permit: Permit): void {
    line.held -= permit.units;
    this.held -= permit.units;
    if (this.holders.size > 0) this.holders.remove(permit, line);
    if (line.waiting > 0) this.serve(line);
    else if (line.held === 0) this.lists.rest(line);
    if (this.held === 0) for (const resolve of this.#awaitIdle.splice(0)) resolve();
  }

  idle(): Promise<void> {
    return this.held === 0 ? Promise.resolve() : new Promise((resolve) => void this.#awaitIdle.push(resolve));
  }

  resize(units: number): void {
    this.units = units;
    this.serveAll();
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
    const units = `${held} of ${this.units} units are held`;
    const longest = this.holders.longest(line);
    if (longest === undefined) return `${units}${wants}, none by a permit with a label`;
    const by = longestText(longest, nowMs);
    // Nobody knows since when the others are held: one of them may be the leak.
    const others = held - line.labelledUnits;
    return others === 0
      ? `${units}${wants}, ${by}`
      : `${units}, ${others} without a label${wants}; of those with a label, ${by}`;
  }
}

function longestText({ label, sinceMs }: Holding<unknown>, nowMs: number): string {
  const ageMs = Math.max(0, Math.round(nowMs - sinceMs));
  const age = ageMs < 1_000 ? `${ageMs} ms` : `${Math.round(ageMs / 1_000)} s`;
  return `the longest for ${age} by "${cut(label)}"`;
}
