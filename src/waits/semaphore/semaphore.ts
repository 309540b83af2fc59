// A semaphore: so many units for each key, given to those who ask in their order.
//
//   acquire ─► free, and nobody waits ─────────────────► a permit, in the call
//           └► parked, in the line of its key ─ release ─► a permit: the first in line gets it
//
// Invariants. Those of Units. It has no condition of a user, and tries nothing: a hand-over is a
// subtraction. It is a purgatory to all that looks on.
import { throwIfAborted } from '../../base/abort-listeners.ts';
import { COUNT, requiredFunction, requiredNumber, singleKey } from '../../base/checks.ts';
import { readOptions, titleOf } from '../../base/options.ts';
import { cut, keyText } from '../../base/text.ts';
import { AbstractPurgatory } from '../../purgatory/abstract-purgatory.ts';
import { checkedWaitOptions, parkingParts } from '../../purgatory/purgatory-options.ts';
import {
  DEFAULT_TOP,
  firstOf,
  type PurgatorySnapshot,
  type SnapshotOptions,
} from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { BarrierOptions, BarrierResult } from '../../timer/barrier.ts';
import { MAX_LINES } from '../lines/key-lines.ts';
import {
  ACQUIRE_OPTIONS,
  type AcquireOptions,
  checkedKey,
  checkedTryAcquire,
  checkedUnits,
  SEMAPHORE_OPTIONS,
  type SemaphoreOptions,
  type TryAcquireOptions,
} from './semaphore-options.ts';
import { type Permit, type UnitLine, Units, type UnitsOf, UnitWait } from './units.ts';

const SEVERAL_RESIZES = 'several keys are several resize';

/** A semaphore at one moment: those who wait, and the units. */
export interface SemaphoreSnapshot extends PurgatorySnapshot {
  units: UnitsSnapshot;
}

/** The units of a semaphore. */
export interface UnitsSnapshot {
  /** Units of each key; null where each has its own. */
  each: number | null;
  /** Units that are held now, of all keys. */
  held: number;
  /** Permits that were given since it was made. */
  given: number;
  /** The permit with a label that has been held longest, of 16,384 keys at most. Null: there is none. */
  heldLongest: HeldPermit | null;
  /** As `heldLongest`: the `top` that have been held longest, that one first. */
  holders: HeldPermit[];
}

/** A permit that is held. */
export interface HeldPermit {
  key: string;
  label: string;
  units: number;
  ageMs: number;
}

/**
 * Gives units to those who ask, first come first served for each key. One object serves all keys:
 * an idle key takes no memory, and a semaphore some 15 kB.
 */
export class Semaphore<K = string> extends AbstractPurgatory<K, never> {
  readonly #units: Units<K>;

  /**
   * @param name for people: errors and metrics show it. It is also the key of those who name none.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   */
  constructor(name: string, options: SemaphoreOptions<K>) {
    const title = titleOf('Semaphore', name);
    const { units, ...given } = readOptions(title, options, SEMAPHORE_OPTIONS);
    const bank = new Units<K>(units as UnitsOf<K>, parkingParts(title, name, given));
    super(bank.parking as never);
    this.#units = bank;
  }

  /**
   * Units of each key: the option, or what `resize` has set. NaN where the option is a function: each
   * key has its own.
   */
  get units(): number {
    const { units } = this.#units;
    return typeof units === 'number' ? units : Number.NaN;
  }

  /**
   * Units of `key` that nobody holds. Right at once after each `acquire` and `release`. O(1). Asks a
   * function for the units of a key that nobody uses, and throws what that throws.
   */
  available(key: K = this.name as K): number {
    singleKey('key', key, 'several keys are several available');
    const bank = this.#units;
    const line = bank.lists.known(key);
    return line === undefined || line.isIdle ? bank.unitsOf(key) : Math.max(line.free, 0);
  }

  /**
   * Sets how many units each key has from now on. With more units, those who wait get theirs: 64 of
   * them in the call, the others soon after. With fewer, permits stay valid, though more may be held
   * than there are: nobody gets a unit of a key until enough came back. A wait for more units than
   * there are now holds up those behind it, until its deadline or another `resize`. O(keys in use).
   *
   * @throws TypeError, RangeError (Node's codes) for a number that is no integer >= 1.
   */
  resize(units: number): void;
  /**
   * Where `units` is a function: asks it again for one key, with the same effect on that key. O(1).
   *
   * @throws what the function throws. TypeError (Node's codes) for an array, or a bad number.
   */
  resize(key: K): void;
  resize(given?: number | K): void {
    const bank = this.#units;
    if (typeof bank.units !== 'function') bank.resize(requiredNumber('units', given, COUNT));
    else
      bank.resizeKey(
        singleKey('key', given === undefined ? (this.name as K) : (given as K), SEVERAL_RESIZES),
      );
  }

  /**
   * Resolves with `{ expired: false }` when all units of all keys are free: at once, or in the call of
   * the last `release`; with `{ expired: true }` after `timeoutMs`. For a shutdown: `close()` first, so
   * that nobody gets a permit any more. It keeps no process alive but by its deadline. O(1).
   *
   * Rejects with `signal.reason` on abort; with a TypeError or RangeError (Node's codes) for a bad
   * option. Never throws.
   */
  idle(options?: BarrierOptions): Promise<BarrierResult> {
    return this.#units.idle(options);
  }

  /**
   * Resolves with a permit: at once if enough units are free and nobody waits before it. Else it
   * waits behind the others of its key. One that wants more than there are holds up those behind
   * it. Whoever gets a permit must `release` it: `run` does so by itself. A wait inside of a permit
   * of its own key waits for itself, until its deadline. O(1).
   *
   * Once it has got its permit, an abort changes nothing: so in a `Promise.race` that another
   * promise wins, the permit is held for ever. Use `timeoutMs` and `signal` instead.
   *
   * Rejects at its deadline with a PurgatoryError ERR_PURGATORY_TIMEOUT, which says who holds the
   * units; waits of one moment may get the same error. Rejects with `signal.reason` on abort; with
   * a TypeError or RangeError (Node's codes) for bad arguments, and more units than there are; with
   * a PurgatoryError: ERR_PURGATORY_CLOSED, _FULL: `maxParked`, or the timer's `maxPending`, is
   * reached, or _CANCELLED by `cancelForKey`. Never throws.
   */
  acquire(options: AcquireOptions<K>): Promise<Permit> {
    try {
      const wait = checkedWaitOptions(options, ACQUIRE_OPTIONS);
      const line = this.#lineOf(options, wait.signal);
      const units = checkedUnits(options.units, line.units);
      if (line.waiting === 0 && units <= line.free) {
        return Promise.resolve(this.#units.take(line, units, wait.label));
      }
      const { parking } = this.#units;
      const parked = new UnitWait(units, line as UnitLine<never>, wait);
      parking.park(parked, [line.key]);
      return parked.begin() as Promise<Permit>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * A permit, if enough units are free and nobody waits for the key; else undefined. O(1).
   *
   * @throws TypeError, RangeError (Node's codes) for bad arguments, and more units than there are.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED.
   */
  tryAcquire(options?: TryAcquireOptions<K>): Permit | undefined {
    const given = checkedTryAcquire(options);
    const line = this.#lineOf(given);
    const units = checkedUnits(given.units, line.units);
    const isFree = line.waiting === 0 && units <= line.free;
    return isFree ? this.#units.take(line, units, given.label) : undefined;
  }

  /**
   * Acquires a permit, calls `work`, and releases the permit when `work` has ended, also when it
   * throws. Resolves with what `work` returns. Rejects as `acquire`, or with `signal.reason` where the
   * signal has aborted by the time of the permit, and then `work` is not called; or with what `work`
   * throws.
   */
  async run<T>(options: AcquireOptions<K>, work: () => T | PromiseLike<T>): Promise<T> {
    requiredFunction('work', work);
    const permit = await this.acquire(options);
    try {
      throwIfAborted(options.signal);
      return await work();
    } finally {
      permit.release();
    }
  }

  /** As the snapshot of a Purgatory, with the units and who holds them. */
  override snapshot(options?: SnapshotOptions): SemaphoreSnapshot {
    const snapshot = super.snapshot(options);
    const { out: held, given, lists } = this.#units;
    const each = Number.isNaN(this.units) ? null : this.units;
    const top = options?.top ?? DEFAULT_TOP;
    const most = Math.max(top, 1);
    const holders = firstOf(lists.lines(), MAX_LINES)
      .flatMap(({ labelled }) => firstOf(labelled?.values() ?? [], most))
      .sort((x, y) => x.sinceMs - y.sinceMs)
      .slice(0, most)
      .map(({ key, label, units, sinceMs }): HeldPermit => {
        const ageMs = Math.max(0, Math.round(snapshot.nowMs - sinceMs));
        return { key: keyText(key), label: cut(label), units, ageMs };
      });
    const [heldLongest = null] = holders;
    return { ...snapshot, units: { each, held, given, heldLongest, holders: holders.slice(0, top) } };
  }

  /** The line of the key that is asked for. */
  #lineOf(options: TryAcquireOptions<K>, signal?: AbortSignal): UnitLine<K> {
    const key = checkedKey(options, this.name as K);
    this.#units.parking.checkOpen(signal);
    return this.#units.lineOf(key);
  }
}
