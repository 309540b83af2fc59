/** The timer systems by the name that the table and the plots show. */
import type { Workload } from '../harness/types.ts';
import { indexedHeap } from './indexed-heap.ts';
import { lazyQueue } from './lazy-queue.ts';
import { linkedWheel } from './linked-wheel.ts';
import { nativeTimers } from './native-timers.ts';
import { purgatorySchedule, purgatoryTimer } from './purgatory-timer.ts';
import type { MakeTimerPeer } from './timer-peer.ts';

const lazyDeletion = '@datastructures-js/priority-queue';

/**
 * A workload's `runs` without the one that takes longest: a million in a queue with lazy deletion.
 * `steady` has that one.
 */
export const exceptLazyMillion: Workload['runs'] = (system, size) =>
  system !== lazyDeletion || size < 1_000_000;

/** Those that read the time given to them. */
export const manualTimers: Record<string, MakeTimerPeer> = {
  purgatory: purgatoryTimer as MakeTimerPeer,
  'indexed heap': indexedHeap as MakeTimerPeer,
  [lazyDeletion]: lazyQueue as MakeTimerPeer,
  'linked wheel': linkedWheel as MakeTimerPeer,
};

/** All, on the host's clock. */
export const realTimers: Record<string, MakeTimerPeer> = {
  ...manualTimers,
  'purgatory schedule()': purgatorySchedule as MakeTimerPeer,
  setTimeout: nativeTimers as MakeTimerPeer,
};
