// A threshold whose missed values are read again: docs/many-processes.md
import { LocalHub } from 'purgatory/bus';
import { ThresholdPurgatory } from 'purgatory/threshold';

const bus = new LocalHub().bus(); // in production: redisBus(client), natsBus(newConnection), ...
const highWatermarks = new Map([['orders-0', 9]]); // a table of your database: give its reads a deadline
const replicated = new ThresholdPurgatory('replicated', {
  bus,
  current: async (partition) => highWatermarks.get(partition), // undefined or null: none yet
});
console.log(await replicated.awaitAtLeast('orders-0', 9, { timeoutMs: 30_000 }));
replicated.close();
await bus.close();

/* It prints

{ expired: false, value: 9 }
*/
