import { Redis } from 'ioredis';
import { redisBus } from 'purgatory/bus/redis';
import { SharedWaits } from 'purgatory/shared';

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const bus = redisBus(redis); // one in each process
const jobs = new SharedWaits<string>('jobs', {
  bus,
  load: async (keys) => {
    const states = await redis.mget(...keys);
    return new Map(keys.flatMap((key, index) => (states[index] === null ? [] : [[key, states[index]!]])));
  },
});

const isDone = (state: string | undefined): string | undefined => (state === 'done' ? state : undefined);
const wait = jobs.waitUntil('job-7', isDone, { timeoutMs: 5_000 });
await redis.set('job-7', 'done'); // first the change,
jobs.changed('job-7'); // then the hint, to every process
console.log(await wait); // { expired: false, value: 'done' }

jobs.close();
await bus.close();
redis.disconnect();
