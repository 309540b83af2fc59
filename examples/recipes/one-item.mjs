// One item for many waits costs one try: docs/herd.md
import { Purgatory } from 'purgatory';

const jobs = [];
const workers = new Purgatory('workers');
let tries = 0;
const take = () => {
  tries++;
  return jobs.shift();
};
for (let i = 0; i < 20_000; i++) workers.waitFor(['jobs'], take, { timeoutMs: 30_000 }).catch(() => {});

tries = 0;
jobs.push('job-7');
workers.notify('jobs', { atMost: 1 });
await workers.served();
console.log(tries, workers.numDelayed); // 1 19999
workers.close();

/* It prints

1 19999
*/
