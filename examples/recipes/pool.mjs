// A pool of connections, which says who has them: docs/recipes/locks-and-queues.md
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from 'purgatory/semaphore';

let opened = 0;
const open = async () => ({ id: ++opened, close: () => console.log('closed') });
const idle = [];
const places = new Semaphore('connections', { units: 2, maxParked: 1_000 });

// Two connections at most are open: one is opened only where none is idle.
function withConnection(label, work) {
  return places.run({ timeoutMs: 100, label }, async () => {
    const connection = idle.pop() ?? (await open());
    try {
      const result = await work(connection);
      idle.push(connection);
      return result;
    } catch (error) {
      connection.close(); // it may be broken: the next work opens another
      throw error;
    }
  });
}

const query = (sql) => withConnection(sql, async ({ id }) => `${sql} on connection ${id}`);
for (const result of await Promise.all(['A', 'B', 'C'].map(query))) console.log(result);

const wrong = () => Promise.reject(new Error('no such table'));
await withConnection('D', wrong).catch(({ message }) => console.log(message));

// Two works that never end: nobody gets a connection any more.
withConnection('the report of July', () => new Promise(() => {}));
await sleep(1_500);
withConnection('an export', () => new Promise(() => {}));
await query('E').catch(({ message }) => console.log(message));
console.log(places.snapshot().units.heldLongest?.label, idle.length);

/* It prints

A on connection 1
B on connection 2
C on connection 2
closed
no such table
No permit of "connections" within 100 ms: 2 of 2 units are held, the longest for 2 s by "the report of July"
the report of July 0
*/
