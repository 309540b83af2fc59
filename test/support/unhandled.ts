// Catches rejections that nobody handles.
import { turn } from './turns.ts';

/**
 * Does `action` and waits a few turns more. Returns the reasons of rejections without a handler.
 */
export async function unhandledDuring(action: () => unknown): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  const note = (reason: unknown): void => void reasons.push(reason);
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  try {
    await action();
    for (let i = 0; i < 3; i++) await turn();
  } finally {
    process.off('unhandledRejection', note);
    for (const other of others) process.on('unhandledRejection', other);
  }
  return reasons;
}
