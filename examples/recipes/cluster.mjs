// An event between the workers of a cluster: docs/many-processes.md
import cluster from 'node:cluster';
import { Purgatory } from 'purgatory';
import { clusterBus, relayBus } from 'purgatory/bus/cluster';

if (cluster.isPrimary) {
  relayBus();
  const writer = cluster.fork({ ROLE: 'writes' });
  cluster.fork({ ROLE: 'waits' }).once('exit', () => writer.kill());
} else {
  const bus = clusterBus();
  const orders = new Purgatory('orders', { bus });
  if (process.env.ROLE === 'writes') {
    setInterval(() => orders.notify('order-7'), 20);
  } else {
    const anyEvent = ({ key }) => key; // the key whose event caused the try
    console.log(await orders.waitFor(['order-7'], anyEvent, { timeoutMs: 10_000 }));
    orders.close();
    await bus.close();
    cluster.worker.disconnect();
  }
}

/* It prints

{ expired: false, value: 'order-7' }
*/
