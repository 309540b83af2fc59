// When memory is given back after a burst: in a turn of its own, before all other jobs, since the
// copy may take as long as a slice.
//
// Ground rules. It belongs to a timer or to the lists of a purgatory, which say what is worth a
// copy. Slots change in it: so nobody holds one from one turn to the next (but a Pass, which the
// lists move along).
import { debug } from '../base/debug.ts';
import type { Job, Scheduler } from './scheduler.ts';

/** What has memory to give back. */
export interface Compactable {
  /** Whether there is so much that it is worth its time, which is about 10 ms at most. O(1). */
  readonly isSparse: boolean;
  /** Moves what is in use to memory of the right size. All stays as it is where that is refused. */
  compact(): void;
}

/**
 * A job that gives the memory back. Its owner asks `isSparse` after each removal, and then calls
 * `wakeNextTurn`: here V8 would meet memory of many classes, and not inline the question.
 */
export function compactionOf(memory: Compactable, scheduler: Scheduler, sliceMs: number): Job {
  const doBatch = (): boolean => {
    try {
      if (memory.isSparse) memory.compact(); // more may have come meanwhile
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      debug('memory is not given back until the next removal, as there is none for the copy: %s', error);
    }
    return false;
  };
  return scheduler.job({ sliceMs, doBatch });
}
