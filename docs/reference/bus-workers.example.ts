import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { workersBus } from 'purgatory/bus/workers';
import { SharedWaits } from 'purgatory/shared';

// What all threads can read: here a counter in shared memory.
const counter: Int32Array = isMainThread ? new Int32Array(new SharedArrayBuffer(4)) : workerData;
const counts = new SharedWaits<number>('counts', {
  bus: workersBus(), // one in each thread
  load: async () => new Map([['counter', Atomics.load(counter, 0)]]),
});

if (isMainThread) {
  const thread = new Worker(new URL(import.meta.url), { workerData: counter });
  const enough = (count = 0): string | undefined => (count >= 3 ? 'at least 3' : undefined);
  console.log(await counts.waitUntil('counter', enough, { timeoutMs: 30_000 })); // { expired: false, value: 'at least 3' }
  await thread.terminate();
} else {
  setInterval(() => {
    Atomics.add(counter, 0, 1); // first the change,
    counts.changed('counter'); // then the hint
  }, 5);
}
