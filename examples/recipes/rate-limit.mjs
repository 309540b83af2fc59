// A rate limit for each client: docs/recipes/locks-and-queues.md
import { SystemTimer } from 'purgatory';
import { Semaphore } from 'purgatory/semaphore';

const WINDOW_MS = 100;
const timer = new SystemTimer();
const starts = new Semaphore('starts', { units: 3, timer });

/** At most 3 starts of a client within any WINDOW_MS. */
async function limited(client, options, work) {
  const permit = await starts.acquire({ ...options, key: client });
  try {
    return work();
  } finally {
    timer.schedule(() => permit.release(), WINDOW_MS); // not at the end of the work: that limits its number
  }
}

const startedMs = [];
const start = () => startedMs.push(performance.now());
const calls = Array.from({ length: 7 }, () => limited('ann', { timeoutMs: 5_000 }, start));
await limited('ann', { timeoutMs: 0 }, start).catch(({ code }) => console.log(code)); // HTTP: 429
await limited('bob', { timeoutMs: 0 }, () => console.log('bob has a limit of his own'));
await Promise.all(calls);
console.log(startedMs.every((ms, i) => i < 3 || ms - startedMs[i - 3] > WINDOW_MS - 1));

/* It prints

ERR_PURGATORY_TIMEOUT
bob has a limit of his own
true
*/
