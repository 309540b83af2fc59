// A queue that makes its producers wait: docs/recipes/locks-and-queues.md
import { Queues } from 'purgatory/queues';
import { Semaphore } from 'purgatory/semaphore';

const places = new Semaphore('places', { units: 2 });
const lines = new Queues('lines');

async function produce(line) {
  const place = await places.acquire({ timeoutMs: 5_000, label: line });
  lines.put('log', { line, place });
  console.log(`put ${line}`);
}

async function consume() {
  const { expired, value } = await lines.take(['log'], { timeoutMs: 5_000 });
  if (expired) return;
  value.place.release(); // the next producer may go on
  console.log(`took ${value.line}`);
}

const producers = ['a', 'b', 'c', 'd'].map(produce);
await new Promise(setImmediate);
console.log(`${places.numDelayed} producers wait`);
for (let i = 0; i < 4; i++) await consume();
await Promise.all(producers);

/* It prints

put a
put b
2 producers wait
took a
put c
took b
put d
took c
took d
*/
