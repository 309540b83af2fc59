// The lists behind the parking of SharedWaits: those of a Purgatory, and the WatchedKeys.
//
// Invariants. A WatchedKey is known from the first wait on its key until LoadScheduler forgets it.
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { Pass } from '../../purgatory/passes.ts';
import { Watchers } from '../../purgatory/watchers.ts';
import type { Slot } from '../../slab/slab.ts';
import { WatchedKey } from './load.ts';
import type { SharedWaiter } from './shared-waiter.ts';

export class WaiterLists extends Watchers<string> {
  readonly known: Map<string, WatchedKey> = new Map();

  /** The key of that name. A new key becomes known when a wait is parked on it. */
  keyOf(name: string): WatchedKey {
    return this.known.get(name) ?? new WatchedKey(name);
  }

  override park(operation: DelayedOperation, keys: readonly string[], stamp: number): void {
    const { keys: before } = this;
    super.park(operation, keys, stamp);
    if (this.keys === before) return;
    const { watched } = operation as SharedWaiter;
    this.known.set(watched.key, watched);
  }

  /** A pass over the waits on `key`. It is held until `release`. */
  holdPass({ key }: WatchedKey): Pass<string> {
    const pass = new Pass(key);
    this.begin(pass, this.find(key) as Slot);
    this.held.set(key, pass);
    return pass;
  }

  release(pass: Pass<string>): void {
    pass.stop();
    this.held.delete(pass.key);
  }
}
