import { SharedWaits } from 'purgatory/shared';

const database = new Map([['job-7', 'running']]);
let loads = 0;
const jobs = new SharedWaits<string>('jobs', {
  load: async (keys) => {
    loads++;
    return new Map(keys.flatMap((key) => (database.has(key) ? [[key, database.get(key)!]] : [])));
  },
});

const isDone = (state: string | undefined): string | undefined => (state === 'done' ? state : undefined);
const waits = Array.from({ length: 1_000 }, () => jobs.waitUntil('job-7', isDone, { timeoutMs: 5_000 }));
await new Promise(setImmediate);

database.set('job-7', 'done'); // first the change,
jobs.changed('job-7'); // then the hint
console.log((await Promise.all(waits)).length); // 1000
console.log(loads); // 2
jobs.close();
