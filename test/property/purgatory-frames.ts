// The calls of the engine that may call back into a history, the innermost last: a park (its own
// two tries), a pass (its queue in order), a drain of notified keys, a pass of the timer (in the
// order of deadlines), or a force.
import type { Guest } from './purgatory-reference.ts';

export interface Thrown {
  readonly error: unknown;
}

/** The event that causes the tries of a frame: of which purgatory, on which key. */
export interface Cause {
  readonly purgatory: number;
  readonly key: unknown;
}

/**
 * `slack` is the number of operations that a pass may count or not: an operation that its own try
 * completed without returning true, a waiter whose try threw, and a waiter that had left before it
 * answered.
 */
export type Frame =
  | { kind: 'park'; guest: Guest; keys: readonly number[]; tries: number; result: boolean | Thrown }
  | {
      kind: 'pass';
      cause: Cause;
      queue: { guest: Guest; parking: number }[];
      completed: number;
      slack: number;
    }
  | { kind: 'drain'; cause: Cause | undefined }
  | { kind: 'timer'; cause: Cause | undefined; runs: number }
  | { kind: 'force'; guest: Guest; thrown: Thrown | undefined }
  | { kind: 'script'; guest: Guest };

/** The first of a pass's queue that still stands where it stood when the pass began. */
export function nextOf(queue: { guest: Guest; parking: number }[]): Guest | undefined {
  while (queue.length > 0 && queue[0].guest.parking !== queue[0].parking) queue.shift();
  return queue[0]?.guest;
}
