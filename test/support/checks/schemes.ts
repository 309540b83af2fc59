// What holds in the seven textbook schemes: their timer looks in time, and no list is lost. Where each
// tick lies shows in the order of the runs.
import { HashedWheel } from '../../../src/waits/schemes/hashed-wheel.ts';
import { HeapScheme } from '../../../src/waits/schemes/heap-timer.ts';
import { HierarchicalWheel } from '../../../src/waits/schemes/hierarchical-wheel-timer.ts';
import type { TickingScheme } from '../../../src/waits/schemes/scheme.ts';
import { mustHold } from './must-hold.ts';

/** What a check has found of a scheme. */
export interface Looked {
  /** The tick by which its timer must look. */
  readonly lookTick: number;
  /** How many lists it has made in the slab. */
  readonly lists: number;
}

export function checkTickingScheme(scheme: TickingScheme): Looked {
  let lookTick = Number.POSITIVE_INFINITY;
  scheme.forEach((_, tick) => {
    lookTick = Math.min(lookTick, tick);
  });
  const nextTick = scheme.nextTick();
  mustHold(nextTick <= lookTick, `looks at tick ${nextTick}, though ${lookTick} is due`);
  mustHold(nextTick > scheme.cursor, `looks at tick ${nextTick}, though it stands at ${scheme.cursor}`);
  return { lookTick, lists: listsOf(scheme) };
}

function listsOf(scheme: TickingScheme): number {
  if (scheme instanceof HashedWheel) return scheme.buckets.length;
  if (scheme instanceof HeapScheme) return 0;
  if (!(scheme instanceof HierarchicalWheel)) throw new Error(`nobody checks a ${scheme.constructor.name}`);
  return scheme.levels.reduce((sum, { buckets }) => sum + buckets.length, 1);
}
