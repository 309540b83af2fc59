// One loop claims from Redis for all who wait: docs/herd.md
// npm install purgatory ioredis
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Purgatory } from 'purgatory';

const redis = new Redis(process.env.REDIS_URL);
const workers = new Purgatory('workers');
const claimed = [];
let isDue = false;
let isClaiming = false;

/** To be called when a job was pushed. It reads nothing while nobody waits. */
async function claim() {
  isDue = true;
  if (isClaiming) return; // the loop below takes another round
  isClaiming = true;
  try {
    while (isDue && workers.watchersOf('jobs') > 0) {
      isDue = false;
      const job = await redis.lpop('jobs');
      if (job === null) continue;
      isDue = true; // there may be more
      claimed.push(job);
      workers.notify('jobs', { atMost: 1 });
      await workers.served();
      const left = claimed.pop();
      if (left !== undefined) await redis.lpush('jobs', left); // nobody waits any more: give it back
    }
  } finally {
    isClaiming = false;
  }
}

function nextJob({ timeoutMs, signal }) {
  const job = workers.waitFor(['jobs'], () => claimed.shift(), { timeoutMs, signal });
  claim().catch(console.error); // there may be one already
  return job;
}

await redis.rpush('jobs', 'job-7');
const client = new AbortController();
const gone = nextJob({ timeoutMs: 5_000, signal: client.signal });
client.abort(); // while LPOP is under way
console.log(await gone.catch((error) => error.name)); // AbortError
while ((await redis.llen('jobs')) === 0) await sleep(10); // until it was given back
console.log(await nextJob({ timeoutMs: 5_000 })); // { expired: false, value: 'job-7' }
await redis.quit();

/* It prints

AbortError
{ expired: false, value: 'job-7' }
*/
