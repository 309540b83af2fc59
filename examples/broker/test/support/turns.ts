// Waiting for the broker, and for what its clients see.
import { inspect } from 'node:util';

/** Resolves after `ms` of real time, or a little more. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Resolves with what `what` returns, once that is truthy. An expectation of chai does for a `what`,
 * too: while it fails, it does not hold yet. Anything else that it throws ends the wait.
 *
 * After four minutes this throws, with the description and the last value seen. The default
 * description is the text of `what`.
 */
export async function until<T>(what: () => T | Promise<T>, description = `${what}`): Promise<T> {
  const endMs = performance.now() + HANG_MS;
  for (;;) {
    let seen: unknown;
    try {
      const value = await what();
      if (value) return value;
      seen = inspect(value);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AssertionError')) throw error;
      seen = error.message;
    }
    if (performance.now() > endMs) throw new Error(`Waited in vain until ${description}. Last seen: ${seen}`);
    await pause(5);
  }
}

/** Longer than anything on a slow machine, shorter than mocha's limit for a test. */
const HANG_MS = 240_000;
