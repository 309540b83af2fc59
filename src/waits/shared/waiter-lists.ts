// The lists behind the parking of SharedWaits: those of a Purgatory, and the WatchedKeys.
//
// Invariants. A WatchedKey is known from the first wait on its key until `forget`.
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { Pass } from '../../purgatory/passes.ts';
import { Watchers } from '../../purgatory/watchers.ts';
import type { Slot } from '../../slab/slab.ts';
import { type SharedWaiter, WatchedKey } from './watched-key.ts';

export class WaiterLists<V> extends Watchers<string> {
  /** @internal */
  readonly allKnown: Map<string, WatchedKey> = new Map();

  /** The key of that name, if it is known. */
  known(name: string): WatchedKey | undefined {
    return this.allKnown.get(name);
  }

  /** The key of that name. A new key becomes known when a wait is parked on it. */
  keyOf(name: string): WatchedKey {
    return this.allKnown.get(name) ?? new WatchedKey(name);
  }

  /** Nobody waits for the key, and nothing is under way for it. */
  forget(key: WatchedKey): void {
    this.allKnown.delete(key.key);
  }

  override park(operation: DelayedOperation, keys: readonly string[], stamp: number): void {
    super.park(operation, keys, stamp);
    const waiter = operation as SharedWaiter<V>;
    const { watched } = waiter;
    waiter.lastLoad = watched.load;
    if (watched.waiters++ === 0) this.allKnown.set(watched.key, watched);
  }

  override remove(operation: DelayedOperation): number {
    const before = this.size;
    const stamp = super.remove(operation);
    if (this.size < before) (operation as SharedWaiter<V>).watched.waiters--;
    return stamp;
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
