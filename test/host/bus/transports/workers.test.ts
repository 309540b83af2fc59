import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { workersBus } from '../../../../src/bus/transports/workers.ts';
import { until } from '../../../support/turns.ts';

describe('a bus over worker threads', () => {
  it('carries hints and their values between threads, and keeps none of them alive', async () => {
    const worker = new Worker(new URL('../children/typescript.mjs', import.meta.url), {
      workerData: new URL('../children/worker-thread.ts', import.meta.url).href,
    });
    worker.unref();
    await once(worker, 'message');
    const bus = workersBus({ prefix: 'threads' });
    const heard: unknown[] = [];
    const { publish } = bus.join({
      name: 'orders',
      hinted: (key, value) => heard.push([key, value]) > 0,
      sweep: (ended) => ended(0),
    });
    await until(() => expect(bus.state).to.equal('live'), 'the bus is live');
    publish('ask 1');
    publish('quiet');
    publish('ask 2');
    await until(() => expect(heard.length).to.equal(2));
    expect(heard).to.deep.equal([
      ['answer ask 1', 2n ** 70n],
      ['answer ask 2', 2n ** 70n],
    ]);
    await bus.close();
    worker.postMessage('end');
    const [code] = await once(worker, 'exit');
    expect(code).to.equal(0);
  });
});
