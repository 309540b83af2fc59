// What holds in the seven textbook schemes: each tick is in the list that its scheme looks into.
import type { Slab, Slot } from '../../../src/slab/slab.ts';
import type { TimerTask } from '../../../src/timer/timer-task.ts';
import { ExactTicks } from '../../../src/waits/schemes/exact-ticks.ts';
import { HashedWheel, SortedHashedWheel } from '../../../src/waits/schemes/hashed-wheel.ts';
import { IndexedHeap, POSITION } from '../../../src/waits/schemes/heap-timer.ts';
import { HierarchicalWheel } from '../../../src/waits/schemes/hierarchical-wheel-timer.ts';
import type { TickingScheme } from '../../../src/waits/schemes/scheme.ts';
import { SimpleWheel } from '../../../src/waits/schemes/simple-wheel-timer.ts';
import { mustHold } from './must-hold.ts';
import { ringOf } from './slab.ts';

type TaskSlab = Slab<TimerTask>;

/** What a check has found of a scheme. */
export interface Looked {
  /** The tick by which its timer must look. */
  readonly lookTick: number;
  /** How many lists it has made in the slab. */
  readonly lists: number;
}

export function checkTickingScheme(scheme: TickingScheme, slab: TaskSlab): Looked {
  const lists = checkLists(scheme, slab);
  let lookTick = Number.POSITIVE_INFINITY;
  scheme.forEach((_, tick) => {
    lookTick = Math.min(lookTick, tick);
  });
  const nextTick = scheme.nextTick();
  mustHold(nextTick <= lookTick, `looks at tick ${nextTick}, though ${lookTick} is due`);
  mustHold(nextTick > scheme.cursor, `looks at tick ${nextTick}, though it stands at ${scheme.cursor}`);
  return { lookTick, lists };
}

/** Returns how many lists there are. */
function checkLists(scheme: TickingScheme, slab: TaskSlab): number {
  if (scheme instanceof ExactTicks) {
    const parts = [scheme.wheel, scheme.far] as TickingScheme[];
    return parts.reduce((lists, part) => lists + checkTickingScheme(part, slab).lists, 0);
  }
  if (scheme instanceof HashedWheel) return checkHashedWheel(scheme, slab);
  if (scheme instanceof SimpleWheel) return checkSimpleWheel(scheme, slab);
  if (scheme instanceof HierarchicalWheel) return checkHierarchicalWheel(scheme, slab);
  if (scheme instanceof IndexedHeap) return checkHeap(scheme, slab);
  throw new Error(`nobody checks a ${scheme.constructor.name}`);
}

const ticksIn = (slab: TaskSlab, bucket: Slot): number[] =>
  ringOf(slab, bucket).map((slot) => slab.tick(slot));

/** The remainder, which is never negative. */
const modulo = (tick: number, size: number): number => tick - Math.floor(tick / size) * size;

function checkHashedWheel(wheel: HashedWheel, slab: TaskSlab): number {
  const { buckets, cursor, latest } = wheel;
  for (const [index, bucket] of buckets.entries()) {
    const ticks = ticksIn(slab, bucket);
    for (const [i, tick] of ticks.entries()) {
      mustHold(modulo(tick, buckets.length) === index, `tick ${tick} is in bucket ${index}`);
      mustHold(tick > cursor && tick <= latest, `tick ${tick} is outside of the bounds`);
      mustHold(tick >= wheel.earliestIn(index), `tick ${tick} is before the earliest of its bucket`);
      const isBehind = wheel instanceof SortedHashedWheel && i > 0 && tick < ticks[i - 1];
      mustHold(!isBehind, `tick ${tick} lies behind ${ticks[i - 1]}`);
    }
  }
  return buckets.length;
}

function checkSimpleWheel({ buckets, cursor, latest }: SimpleWheel, slab: TaskSlab): number {
  for (const [index, bucket] of buckets.entries()) {
    for (const tick of ticksIn(slab, bucket)) {
      mustHold(modulo(tick, buckets.length) === index, `tick ${tick} is misfiled`);
      mustHold(tick > cursor && tick <= latest, `tick ${tick} is outside of the bounds`);
    }
  }
  mustHold(latest <= cursor + buckets.length, 'a tick is beyond the interval');
  return buckets.length;
}

function checkHierarchicalWheel(wheel: HierarchicalWheel, slab: TaskSlab): number {
  const { levels, cursor, beyond, earliestBeyond } = wheel;
  let lists = 1;
  for (const { buckets, span } of levels) {
    const turnOf = (tick: number): number => Math.floor(tick / span / buckets.length);
    for (const [index, bucket] of buckets.entries()) {
      for (const tick of ticksIn(slab, bucket)) {
        const digit = Math.floor(tick / span);
        const isThere = modulo(digit, buckets.length) === index;
        mustHold(isThere, `tick ${tick} is in bucket ${index} of ${span}`);
        mustHold(turnOf(tick) === turnOf(cursor), `tick ${tick} is filed too low, at ${span}`);
        mustHold(digit !== Math.floor(cursor / span), `tick ${tick} is filed too high, at ${span}`);
      }
    }
    lists += buckets.length;
  }
  const range = levels.reduce((product, { buckets }) => product * buckets.length, 1);
  for (const tick of ticksIn(slab, beyond)) {
    const isBeyond = Math.floor(tick / range) > Math.floor(cursor / range);
    mustHold(isBeyond, `tick ${tick} is filed beyond, at ${cursor}`);
    mustHold(tick >= earliestBeyond, `tick ${tick} is before the earliest beyond`);
  }
  return lists;
}

function checkHeap({ slots, ticks, orders, cursor }: IndexedHeap, slab: TaskSlab): number {
  for (const [position, slot] of slots.entries()) {
    const tick = ticks[position];
    mustHold(slab.cells[slot + POSITION] === position, `the slot at ${position} does not know it`);
    mustHold(tick > cursor, `tick ${tick} was left behind`);
    const parent = (position - 1) >> 1;
    const isBeforeParent =
      position > 0 && (tick < ticks[parent] || (tick === ticks[parent] && orders[position] < orders[parent]));
    mustHold(!isBeforeParent, `position ${position} is before its parent`);
  }
  const areEqual = ticks.length === slots.length && orders.length === slots.length;
  mustHold(areEqual, 'the arrays differ in length');
  return 0;
}
