// A thread that gets hints over a workersBus and answers by another, until the main thread has got
// all.
import { parentPort } from 'node:worker_threads';
import { workersBus } from '../../../../src/bus/transports/workers.ts';

const bus = workersBus({ prefix: 'threads' });
const { publish } = bus.join({
  name: 'orders',
  hinted: (key) => {
    if (key.startsWith('ask')) publish(`answer ${key}`, 2n ** 70n);
    return true;
  },
  sweep: (ended) => ended(0),
});
parentPort?.postMessage('ready');
parentPort?.once('message', () => void bus.close());
