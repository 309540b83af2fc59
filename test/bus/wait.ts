// Waits for what a real engine does.
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when `holds()`. Rejects after `limitMs`. */
export async function waitFor(holds: () => boolean, limitMs = 15_000): Promise<void> {
  for (const endMs = Date.now() + limitMs; !holds(); await sleep(2)) {
    if (Date.now() > endMs) throw new Error(`Not within ${limitMs} ms: ${holds}`);
  }
}
