// Waits for what others do, for a bounded time.
import type { Clock } from '../../clock/clock.ts';

/**
 * Resolves when `work` has settled, and at `atMs` by `clock` at the latest. Never rejects. Keeps
 * the process alive until it resolves: the sockets of an engine's client might not do so.
 */
export function settledBy(clock: Clock, atMs: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const wakeUp = clock.wakeAt(atMs, resolve);
    const settled = (): void => {
      wakeUp.cancel();
      resolve();
    };
    work.then(settled, settled);
  });
}
