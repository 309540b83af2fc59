// Waiting on the real host, with its own timers even while fake ones are installed.
import { setImmediate as hostImmediate, setTimeout as hostTimeout } from 'node:timers';
import { inspect } from 'node:util';
import { LIMIT_MS } from './limit.ts';

const hostNow = performance.now.bind(performance);

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

/** The process does nothing else for `ms`. */
export function block(ms: number): void {
  for (const endMs = hostNow() + ms; hostNow() < endMs; );
}

/**
 * Resolves with what `what` returns, once that is truthy. An expectation of chai does for a `what`,
 * too: while it fails, it does not hold yet. Anything else that it throws ends the wait.
 *
 * After LIMIT_MS this throws, with the description and the last value seen. The default description
 * is the text of `what`.
 */
export async function until<T>(what: () => T | Promise<T>, description = `${what}`): Promise<T> {
  const beganMs = hostNow();
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 1.1, 10)) {
    let seen: unknown;
    try {
      const value = await what();
      if (value) return value;
      seen = inspect(value);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AssertionError')) throw error;
      seen = error.message;
    }
    if (hostNow() - beganMs > LIMIT_MS) {
      throw new Error(`Waited ${LIMIT_MS / 1_000} s in vain until ${description}. Last seen: ${seen}`);
    }
    await pause(pauseMs);
  }
}
