/// <reference lib="esnext.disposable" preserve="true" />
// Units of a key, and the permits by which they are held.
//
// Invariants. A permit holds its units from the moment it is made until its first `release`. A line
// counts those that are held; the others are free. More may be held than there are, after a `resize`.
import { DISPOSE, nameDispose } from '../../base/dispose.ts';
import { Line } from '../lines/line.ts';

/** Whose units these are. */
export interface Bank<K> {
  /** `permit`, on `line`, holds its units no more. */
  takeBack(line: UnitLine<K>, permit: Permit): void;
  /** The error of a wait for `units` of `line`, whose deadline has come. */
  timedOut(line: UnitLine<K>, units: number, timeoutMs: number): Error;
}

/** A permit that is held, with the label that `acquire` was given. */
export interface Holding {
  readonly label: string;
  /** When it was given, in ms by the timer's clock. */
  readonly sinceMs: number;
}

export class UnitLine<K> extends Line<K> {
  readonly bank: Bank<K>;
  /** How many there are. They may change. */
  units: number;
  /** Units that permits hold. */
  held = 0;
  /** The permits with a label, in the order in which they were given. Undefined where none ever was. */
  labelled: Map<Permit, Holding> | undefined = undefined;

  constructor(key: K, bank: Bank<K>, units: number) {
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
