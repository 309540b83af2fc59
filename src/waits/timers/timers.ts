/// <reference types="node" preserve="true" />
// setTimeout, clearTimeout, setInterval and clearInterval on timing wheels: take them from here in
// place of node:timers.
//
// As in Node: the arguments, the coercions, the Timeout, its async context, nextTick and microtasks
// between two callbacks. docs/drop-in-timers.md has the differences: never early, no 24.8-day
// limit, callbacks by deadline across delays. Starting, refreshing and clearing are O(1).
import { promisify } from 'node:util';
import { requiredFunction } from '../../base/checks.ts';
import { host } from '../../base/host.ts';
import { addOurs, foreign } from '../../clock/replacements.ts';
import { setTimeout as setTimeoutPromise } from './promises.ts';
import { ScheduledTimeout, type Timeout, timeoutOf } from './timeout.ts';

/**
 * Calls `callback(...args)` once, `delayMs` ms from now or a little later, with the Timeout as
 * `this`. A delay under 1 ms, or one that is no number, counts as 1; a delay that no clock will
 * reach (Infinity) keeps the timeout pending until it is cleared.
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE when `callback` is no function. TypeError for a delay
 * that is a BigInt or a Symbol, as in Node.
 */
export function setTimeout<A extends unknown[]>(
  callback: (...args: A) => void,
  delayMs?: number,
  ...args: A
): Timeout;
/** For callbacks such as the `resolve` of `new Promise((resolve) => setTimeout(resolve, 5))`. */
export function setTimeout(callback: (_: undefined) => void, delayMs?: number): Timeout;
export function setTimeout<A extends unknown[]>(
  callback: (...args: A) => void,
  delayMs?: number,
  ...args: A
): Timeout {
  return start(callback, delayMs, args, false);
}

/**
 * As {@link setTimeout}, again and again; the delay counts from the start of a run, however long
 * that takes.
 */
export function setInterval<A extends unknown[]>(
  callback: (...args: A) => void,
  delayMs?: number,
  ...args: A
): Timeout;
/** As the second form of {@link setTimeout}. */
export function setInterval(callback: (_: undefined) => void, delayMs?: number): Timeout;
export function setInterval<A extends unknown[]>(
  callback: (...args: A) => void,
  delayMs?: number,
  ...args: A
): Timeout {
  return start(callback, delayMs, args, true);
}

/**
 * Ends a timeout or interval, given as itself or by its number. A timer of Node's own is ended too,
 * so that this may stand in for the global; anything else is ignored.
 */
export function clearTimeout(timeout: Timeout | NodeJS.Timeout | string | number | null | undefined): void {
  const ours = timeoutOf(timeout);
  if (ours === undefined) host.clearTimeout(timeout as NodeJS.Timeout);
  else ours.cancel();
}

/** The same as {@link clearTimeout}. */
export function clearInterval(timeout: Timeout | NodeJS.Timeout | string | number | null | undefined): void {
  clearTimeout(timeout);
}

// A user may install these functions as the globals. Then the engine must not use them for its own
// wake-ups.
addOurs(setTimeout);
addOurs(setInterval);
// A module that imports this one to make them the globals has done so by the end of its own run.
void Promise.resolve().then(() => {
  foreign('setTimeout');
  foreign('setInterval');
});
Object.defineProperty(setTimeout, promisify.custom, { enumerable: true, value: setTimeoutPromise });

function start<A extends unknown[]>(
  callback: (...args: A) => void,
  delayMs: unknown,
  args: A,
  repeats: boolean,
): Timeout {
  requiredFunction('callback', callback);
  return new ScheduledTimeout(callback as (...args: unknown[]) => void, delayMs, args, repeats);
}
