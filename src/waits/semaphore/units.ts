/// <reference lib="esnext.disposable" preserve="true" />
// The units of each key, the permits by which they are held, and the hand-over to those who wait.
//
// Invariants. A permit holds its units from the moment it is made until its first `release`. A line
// counts those that are held; the others are free. More may be held than there are, after a `resize`:
// then nobody gets a unit of that line. Units are free while somebody waits only if the first wants
// more than are free, or if the line is owed (HandOvers).
import { DISPOSE, nameDispose } from '../../base/dispose.ts';
import { notWithin } from '../../base/errors.ts';
import { invalidReturnValue } from '../../base/node-errors.ts';
import { Rejection } from '../../base/rejection.ts';
import { cut, keyText } from '../../base/text.ts';
import type { CheckedWaitOptions, ParkingParts } from '../../purgatory/purgatory-options.ts';
import { HandOvers } from '../lines/hand-overs.ts';
import { Line } from '../lines/line.ts';
import { LineWait } from '../lines/line-wait.ts';

/** Equal deadlines within so many ms are rejected with one error: a stack costs more than a wait. */
const SHARED_ERROR_MS = 10;

/** How many units each key has, or what says it. */
export type UnitsOf<K> = number | ((key: K) => number);

/** A permit that is held, with the label that `acquire` was given. */
export interface Holding<K> {
  readonly key: K;
  readonly label: string;
  readonly units: number;
  /** When it was given, in ms by the timer's clock. */
  readonly sinceMs: number;
}

export class UnitLine<K> extends Line<K> {
  readonly bank: Pick<Units<K>, 'takeBack' | 'timedOut'>;
  /** How many there are. They may change. */
  units: number;
  /** Units that permits hold. */
  held = 0;
  /** The permits with a label, in the order in which they were given. Undefined where none ever was. */
  labelled: Map<Permit, Holding<K>> | undefined = undefined;

  constructor(key: K, bank: UnitLine<K>['bank'], units: number) {
    super(key);
    this.bank = bank;
    this.units = units;
  }

  /** Units that nobody holds: fewer than 0 when more are held than there are. */
  get free(): number {
    return this.units - this.held;
  }

  override get isIdle(): boolean {
    return this.waiting === 0 && this.held === 0;
  }
}

/** Units that are held: what {@link Semaphore.acquire} resolves with. */
export class Permit {
  /** How many it holds, or held. */
  readonly units: number;
  #line: UnitLine<never> | undefined;

  /** @internal */
  constructor(units: number, line: UnitLine<never>) {
    this.units = units;
    this.#line = line;
  }

  /** Whether its units are held. */
  get isHeld(): boolean {
    return this.#line !== undefined;
  }

  /**
   * Gives the units back, to those who wait first. True for the first call; a later one does
   * nothing. O(1) a permit that this hands over: 64 in the call, the others soon after.
   */
  release(): boolean {
    const line = this.#line;
    if (line === undefined) return false;
    this.#line = undefined;
    line.bank.takeBack(line, this);
    return true;
  }

  /** As `release`: for `using permit = await semaphore.acquire(...)`. */
  [Symbol.dispose](): void {
    this.release();
  }

  static {
    nameDispose(Permit, DISPOSE);
  }
}

/** A wait for a permit. */
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

export class Units<K> extends HandOvers<K, UnitLine<K>> {
  /** The option, or what `resize` has set. */
  units: UnitsOf<K>;
  /** Permits that were given. */
  given = 0;
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
    this.out += units;
    this.given++;
    const permit = new Permit(units, line as UnitLine<never>);
    if (label !== undefined) {
      line.labelled ??= new Map();
      line.labelled.set(permit, { key: line.key, label, units, sinceMs: this.parking.meter.now() });
    }
    return permit;
  }

  takeBack(line: UnitLine<K>, permit: Permit): void {
    line.held -= permit.units;
    this.out -= permit.units;
    line.labelled?.delete(permit);
    if (line.waiting > 0) this.serve(line);
    else if (line.held === 0) this.lists.rest(line);
    this.openIdle();
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
    for (const holding of line.labelled?.values() ?? []) others -= holding.units;
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
