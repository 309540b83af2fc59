// Waiting on the real host, with its own timers even while fake ones are installed.
import { setImmediate as hostImmediate, setTimeout as hostTimeout } from 'node:timers';

/** Resolves after a turn of the event loop; microtasks and ticks queued by now have run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => hostImmediate(resolve));
}

/** Resolves in this turn, after more microtasks than the engine waits for between two batches. */
export async function microtasks(): Promise<void> {
  for (let i = 0; i < 10; i++) await undefined;
}

/** Resolves after `ms` of real time, or a little more. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => hostTimeout(resolve, ms));
}

/** Resolves once `condition` holds. Mocha's timeout ends a wait that never ends. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(1);
}
