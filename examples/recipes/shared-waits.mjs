// Waits on rows, which are read once for all who wait: docs/many-processes.md
import { LocalHub } from 'purgatory/bus';
import { SharedWaits } from 'purgatory/shared';

const bus = new LocalHub().bus(); // in production: redisBus(client), natsBus(newConnection), ...
const rows = new Map([
  ['job-7', { result: null }],
  ['job-8', { result: null }],
]); // a table of your database

async function readJobs(ids, signal) {
  signal.throwIfAborted(); // a client of a database takes the signal
  return new Map(ids.filter((id) => rows.has(id)).map((id) => [id, rows.get(id)]));
}

const jobs = new SharedWaits('jobs', {
  bus,
  // A Map of the jobs that there are. The signal aborts after `loadTimeoutMs` (10,000), too.
  load: (ids, { signal }) => readJobs(ids, signal),
  retry: true, // waits outlive a store that is down
  onError: (error, ids) => console.warn(`${ids.length} jobs could not be read`, error),
});

/** Resolves with the result, or with 'removed'. */
function result(id) {
  return jobs.waitUntil(id, (job) => (job ? job.result : 'removed'), { timeoutMs: 25_000 });
}

setTimeout(() => {
  rows.set('job-7', { result: 'forty-two' });
  rows.delete('job-8');
  for (const id of ['job-7', 'job-8']) jobs.changed(id); // after the change can be read
}, 100);
for (const outcome of await Promise.all([result('job-7'), result('job-8')])) console.log(outcome);
jobs.close();
await bus.close();

/* It prints

{ expired: false, value: 'forty-two' }
{ expired: false, value: 'removed' }
*/
