// What holds in the lists of a Parking between any two calls, whatever its operations wait for.
import type { DelayedOperation } from '../../../src/purgatory/delayed-operation.ts';
import type { ParkedLists } from '../../../src/purgatory/parked-lists.ts';
import { OLDEST, Watchers } from '../../../src/purgatory/watchers.ts';
import { NONE } from '../../../src/slab/slab.ts';
import { KeyLines } from '../../../src/waits/lines/key-lines.ts';
import type { Line } from '../../../src/waits/lines/line.ts';
import { WaiterLists } from '../../../src/waits/shared/waiter-lists.ts';
import { Thresholds } from '../../../src/waits/threshold/thresholds.ts';
import { mustHold } from './must-hold.ts';
import { ringOf } from './slab.ts';
import { checkThresholds } from './thresholds.ts';

/** Throws unless the lists are sound. O(pairs). */
export function checkLists(lists: ParkedLists<never>): void {
  const parked = inParkOrder(lists);
  if (lists instanceof Thresholds) {
    checkThresholds(lists, parked);
    return;
  }
  const watchers = checkWatches(lists, parked);
  if (lists instanceof Watchers) checkWatchers(lists);
  if (lists instanceof WaiterLists) checkKnownKeys(lists);
  if (lists instanceof KeyLines) checkKeyLines(lists, watchers.size);
}

function inParkOrder({ operations, all, size }: ParkedLists<never>): DelayedOperation[] {
  const places = ringOf(operations, all);
  mustHold(places.length === size, `${places.length} operations are linked, ${size} in use`);
  return places.map((place) => {
    const operation = operations.value(place) as DelayedOperation;
    mustHold(operation.$place === place, 'an operation does not know its place');
    return operation;
  });
}

/** The operations know their keys, and the keys their operations, in park order. */
function checkWatches(
  lists: ParkedLists<never>,
  parked: DelayedOperation[],
): Map<unknown, DelayedOperation[]> {
  const watchers = new Map<unknown, DelayedOperation[]>();
  let pairs = 0;
  for (const operation of parked) {
    const keys = lists.keysOf(operation, Number.POSITIVE_INFINITY);
    mustHold(keys.length > 0, 'an operation watches nothing');
    mustHold(new Set(keys).size === keys.length, 'an operation watches a key twice');
    for (const key of keys) {
      const others = watchers.get(key);
      if (others === undefined) watchers.set(key, [operation]);
      else others.push(operation);
    }
    pairs += keys.length;
  }
  mustHold(pairs === lists.pairs, `${pairs} pairs are linked, ${lists.pairs} are counted`);
  mustHold(watchers.size === lists.keys, `${watchers.size} keys are watched, ${lists.keys} are counted`);
  const keys = [...lists.allKeys()];
  mustHold(keys.length === watchers.size && keys.every((key) => watchers.has(key)), 'a watched key is gone');
  for (const [key, expected] of watchers) {
    const there = lists.allOf(key);
    const count = lists.watchersOf(key);
    mustHold(there.length === count, `${there.length} watch a key, it says ${count}`);
    const areSame = there.length === expected.length && there.every((each, i) => each === expected[i]);
    mustHold(areSame, 'a key and its operations disagree');
  }
  return watchers;
}

function checkWatchers(lists: Watchers<unknown>): void {
  const { keySlab, watches } = lists;
  mustHold(keySlab.inUse === lists.keys, `${keySlab.inUse} keys have a cell, ${lists.keys} are watched`);
  for (const key of lists.allKeys()) {
    const oldest = keySlab.cells[(lists.find(key) as number) + OLDEST] as typeof NONE;
    const ring = oldest < NONE ? [] : [oldest, ...ringOf(watches, oldest)];
    const pass = lists.held.get(key);
    if (pass === undefined || pass.isOver) continue;
    const next = ring.indexOf(pass.nextSlot);
    const isInside = next >= 0 && ring.indexOf(pass.lastSlot) >= next;
    mustHold(isInside, 'a pass that is held is not in the ring of its key');
  }
  for (const [key, pass] of lists.held) {
    mustHold(pass.isOver || lists.find(key) === pass.keySlot, 'a pass is held over another key');
  }
}

function checkKnownKeys(lists: WaiterLists): void {
  let waiters = 0;
  for (const { key, loading } of lists.known.values()) {
    const watchers = lists.watchersOf(key);
    mustHold(watchers > 0 || loading !== undefined, `"${key}" is left over`);
    const isSound = loading === undefined || loading.pass.isOver || watchers > 0;
    mustHold(isSound, `the pass of "${key}" is not over, and nobody waits`);
    waiters += watchers;
  }
  mustHold(waiters === lists.size, `${lists.size} waiters are parked, ${waiters} on known keys`);
}

function checkKeyLines(lists: KeyLines<unknown, Line<unknown>>, keys: number): void {
  let waitedFor = 0;
  let unfiled = 0;
  for (const line of lists.lines()) {
    const { key, isFiled, isIdle, firstSlot, waiting } = line;
    mustHold(lists.known(key) === line, 'a line is not found by its key');
    mustHold(!(isIdle && isFiled), 'an idle line is kept');
    if (!isFiled) unfiled++;
    if (firstSlot === NONE) continue;
    waitedFor++;
    const waits = 1 + ringOf(lists.waits, firstSlot).length;
    mustHold(waits === waiting, `${waits} wait on a line, it says ${waiting}`);
  }
  mustHold(unfiled <= 1, `${unfiled} lines are not filed`);
  mustHold(waitedFor === keys, `${keys} keys are waited for, on ${waitedFor} lines`);
}
