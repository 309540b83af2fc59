// Waits on state that is kept elsewhere: in a database, a file, another service. A wait names a key
// and says its condition. One load a key and event reads the state for all waits.
//
//  waitUntil(key) ─┐                                ┌─► met ► answered
//  changed(key) ───┼─► due ─► load(keys), batched ──┤
//  the bus ────────┘                                └─► not yet: waits for the next event
//
// Invariants. It owns its keys and its parking. Each hint is followed by a load that
// begins after it. A key without a wait is never loaded and takes no memory. A load: O(its keys and
// waits).
import { requiredFunction, requiredString } from '../../base/checks.ts';
import { titleOf } from '../../base/options.ts';
import { BusLink, busLinkOf, type CheckedBusLink } from '../../bus/membership/bus-link.ts';
import { checkHintKey } from '../../bus/membership/bus-member.ts';
import { KeyWalk } from '../../bus/membership/key-walk.ts';
import { Sweep } from '../../bus/membership/sweep.ts';
import { AbstractPurgatory } from '../../purgatory/abstract-purgatory.ts';
import { hintAtClosed } from '../../purgatory/debug-hints.ts';
import { Parking } from '../../purgatory/parking.ts';
import { checkedWaitOptions, parkingParts } from '../../purgatory/purgatory-options.ts';
import type { PurgatorySnapshot, SnapshotOptions } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { NotYet } from '../../purgatory/wait.ts';
import { DEFAULT_SLICE_MS } from '../../turns/scheduler.ts';
import type { LoadsSnapshot } from './load-meter.ts';
import { LoadScheduler } from './load-scheduler.ts';
import { SharedWaiter, type SharedWaitResult } from './shared-waiter.ts';
import {
  checkedSharedWaitsOptions,
  type SharedWaitsOptions,
  type WaitUntilOptions,
} from './shared-waits-options.ts';
import { WaiterLists } from './waiter-lists.ts';

/** The waits and the loads at one moment. */
export interface SharedWaitsSnapshot extends PurgatorySnapshot {
  loads: LoadsSnapshot;
}

/**
 * Waits on shared state `V` by key. One load reads the state for all waits on a key.
 */
export class SharedWaits<V> extends AbstractPurgatory<string, never> {
  readonly #parking: Parking<string, WaiterLists>;
  readonly #loads: LoadScheduler;

  /**
   * @param name for people, and for the other processes of the bus.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   * @throws PurgatoryError ERR_PURGATORY_ALREADY_JOINED: a member of this name has joined the bus
   * in this process; _CLOSED: the bus is closed.
   */
  constructor(name: string, options: SharedWaitsOptions<V>) {
    const title = titleOf('SharedWaits', name);
    const checked = checkedSharedWaitsOptions(title, options);
    const { bus, loadBatch, maxParked, timer, clock } = checked;
    const lists = new WaiterLists();
    const parts = parkingParts(title, name, { timer, clock, maxParked, sliceMs: DEFAULT_SLICE_MS });
    const parking = new Parking(parts, lists);
    super(parking);
    this.#parking = parking;
    this.#loads = new LoadScheduler(checked, parking, this);
    parking.events = this.#loads;
    const hinted = (key: string): boolean => this.#hint(key);
    const visit = (key: string): number => (this.#hint(key) ? lists.watchersOf(key) : 0);
    // The keys of each step are due together.
    const walk = new KeyWalk(lists.known, visit, loadBatch);
    const sweepOf = (link: CheckedBusLink): Sweep => new Sweep(walk, link);
    parking.link = BusLink.join(busLinkOf({ bus }, parking.timer), { name, hinted }, lists, sweepOf);
  }

  /** As `ref` of a Purgatory. Its loads keep the process alive, too. */
  override ref(): this {
    this.#loads.timer.ref();
    return super.ref();
  }

  /** As `unref` of a Purgatory, and its loads let the process end. */
  override unref(): this {
    this.#loads.timer.unref();
    return super.unref();
  }

  /**
   * Waits until `condition` returns a value: undefined, null and false mean "not yet". It is called
   * with each state of `key` from a load that began after this call. The state is undefined where
   * the load had none for the key. Resolves with that value, or with `{ expired: true, state }` after
   * `timeoutMs`: the state that `condition` was given last, or undefined. The first load begins at
   * the end of this turn, or after a load of the key that is under way. With `timeoutMs: 0` that load
   * ends the wait, however long it takes: it answers or expires with the state that was read, or
   * without one if the load fails and is tried again. O(1).
   *
   * Rejects with `signal.reason` on abort; with what `condition` throws; with the Error that a load
   * had for the key; without `retry`, with the error of a failed load; with a TypeError
   * ERR_INVALID_RETURN_VALUE when `condition` returns a promise; with a TypeError or RangeError
   * (Node's codes) for bad arguments; with a PurgatoryError: ERR_PURGATORY_CLOSED, _CANCELLED by
   * `cancelForKey`, or _FULL: `maxParked` is reached. Never throws.
   */
  waitUntil<T>(
    key: string,
    condition: (value: V | undefined) => T | NotYet,
    options: WaitUntilOptions,
  ): Promise<SharedWaitResult<Exclude<T, NotYet>, V>> {
    try {
      this.#checkKey(key);
      requiredFunction('condition', condition);
      const checked = checkedWaitOptions(options);
      this.#parking.checkOpen(checked.signal);
      const { lists } = this.#parking;
      const watched = lists.keyOf(key);
      const waiter = new SharedWaiter(
        watched,
        this.#removed,
        condition as (state: unknown) => unknown,
        checked,
      );
      this.#parking.park(waiter, [key]);
      // A load before the bus has subscribed might miss a change, and another would have to follow.
      const isHeld = !waiter.isLook && lists.interest?.isHeld(key);
      if (waiter.isPending && !isHeld) this.#loads.event(watched, 'wait'); // a listener may have ended it
      return waiter.begin() as Promise<SharedWaitResult<Exclude<T, NotYet>, V>>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * The state of `key` has changed, and all readers can see the change. The key is loaded for its
   * waits, here and, over the bus, in the other processes. Does nothing
   * after `close`. O(1).
   *
   * @throws TypeError ERR_INVALID_ARG_TYPE for a key that is no string; with a bus,
   * ERR_INVALID_ARG_VALUE for more than 1,024 bytes.
   */
  changed(key: string): void {
    this.#checkKey(key);
    if (this.isClosed) {
      hintAtClosed(this.#parking, 'changed');
      return;
    }
    this.#hint(key);
    this.#parking.link?.publish(key);
  }

  /**
   * As the `snapshot` of a Purgatory, with the loads.
   *
   * @throws TypeError, RangeError (Node's codes) when `top` is no integer from 0 to 100.
   */
  override snapshot(options?: SnapshotOptions): SharedWaitsSnapshot {
    const snapshot = super.snapshot(options);
    return { ...snapshot, loads: this.#loads.loads(snapshot.nowMs) };
  }

  /**
   * Ends it for good: leaves the bus, aborts the loads that are under way, and rejects the waits
   * with ERR_PURGATORY_CLOSED. Returns []. A second call does nothing. O(waits).
   */
  override close(): never[] {
    this.#loads.close();
    return super.close();
  }

  readonly #removed = (waiter: SharedWaiter): void => this.#loads.removed(waiter);

  /** The key may have changed. Returns whether anybody waits for it. */
  #hint(key: string): boolean {
    const { lists } = this.#parking;
    if (lists.watchersOf(key) === 0) return false;
    this.#loads.event(lists.keyOf(key), 'hint');
    return true;
  }

  #checkKey(key: string): void {
    if (this.#parking.link !== undefined) checkHintKey(key);
    else requiredString('key', key);
  }
}
