// Catches errors that would end the process. Mocha's own listeners are removed meanwhile.
import { turn, until } from './turns.ts';

/**
 * Does `action`, waits for `count` uncaught exceptions and a few turns more, and returns all
 * exceptions. What `action` throws itself goes to the caller.
 */
export async function uncaughtDuring(count: number, action: () => unknown): Promise<unknown[]> {
  const errors: unknown[] = [];
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error: unknown) => errors.push(error));
  try {
    await action();
    await until(() => errors.length >= count);
    for (let i = 0; i < 3; i++) await turn();
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of others) process.on('uncaughtException', listener);
  }
  return errors;
}
